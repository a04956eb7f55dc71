import json
import sys

from fake_runtime import FOLDER, begin, rank_log, step

begin()
step(1, 8.0)
rank_log("line before\nOutOfMemoryError: tried to allocate 20 GiB\n")
(FOLDER / "failure.json").write_text(json.dumps({"rank": 0, "type": "OutOfMemoryError", "message": "tried 20 GiB"}))
sys.exit(1)
