"""Gets the request to stop in its very last step."""

import signal
import sys
import time

from fake_runtime import begin, event, step


def leave(*_):
    event("finished")
    sys.exit(0)


signal.signal(signal.SIGTERM, leave)
begin()
step(4, 2.0)
while True:
    time.sleep(0.05)
