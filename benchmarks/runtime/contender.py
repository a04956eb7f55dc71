"""One process of one loop: `contender.py NAME PLAN BLOCK`, started by compare.py."""

from __future__ import annotations

import importlib
import sys
from functools import partial
from pathlib import Path

from trainc.runtime import stage
from trainc.runtime.planfile import read
from training import device_of
from turns import Turns

OURS = "ours"


def main() -> None:
    name, path, block = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    loop = importlib.import_module(name)
    if name == OURS:
        stage.launch(loop.main(partial(Turns, name, block)), path)
    plan = read(path)
    turns = Turns(name, block, device_of(plan))
    turns.end(loop.train(plan, turns))


if __name__ == "__main__":
    main()
