import os
import signal
import sys
import time

from fake_runtime import FOLDER, RANK, begin, event, rank_log, step


def stop(*_):
    # A rank that torchrun ends outside its loop cannot know that no user asked for it.
    event("interrupted", step=None)
    sys.exit(75)


signal.signal(signal.SIGTERM, stop)

(FOLDER / f"pid-{RANK}").write_text(str(os.getpid()))
rank_log(f"this is rank {RANK}\n")
if RANK == 0:
    begin()
    step(1, 8.0)
while not (FOLDER / "metrics.jsonl").exists():
    time.sleep(0.05)
if RANK == 1:
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(300)
