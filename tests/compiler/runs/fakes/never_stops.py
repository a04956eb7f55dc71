"""Ignores every request, and has a child in a session of its own that does the same."""

import os
import signal
import subprocess
import sys
import time

from fake_runtime import FOLDER, begin, step

signal.signal(signal.SIGTERM, signal.SIG_IGN)
begin()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
(FOLDER / "pids").write_text(f"{os.getpid()} {child.pid}")
step(1, 8.0)
time.sleep(300)
