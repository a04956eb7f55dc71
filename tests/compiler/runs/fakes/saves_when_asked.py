import signal
import sys
import time

from fake_runtime import begin, checkpoint, event, step


def leave(*_):
    checkpoint()
    event("interrupted", step=1)
    sys.exit(75)


signal.signal(signal.SIGTERM, leave)
begin()
step(1, 8.0)
while True:
    time.sleep(0.05)
