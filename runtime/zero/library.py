"""DeepSpeed itself, imported for the device that the run chose."""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

from ..errors import StageError
from ..stage import Run


def load(run: Run) -> Any:
    """The module `deepspeed`, joined to the run's process group."""
    # DeepSpeed asks the environment where it runs: its accelerator by name, and its device by this rank's number on the node.
    os.environ["DS_ACCELERATOR"] = run.device.type
    os.environ["LOCAL_RANK"] = str(run.device.index or 0) if run.device.type == "cuda" else os.environ.get("LOCAL_RANK", "0")
    # Its extensions are compiled at the first use, by the ninja that is installed beside it: another version would start anew.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    try:
        import deepspeed
    except ImportError as fault:
        raise StageError(
            f"strategy `{run.plan.strategy.name}` needs the package `deepspeed`: pip install -r requirements.txt"
        ) from fault
    deepspeed.utils.logger.setLevel(logging.ERROR)
    # Its shared-memory collectives serve inference only, and would be compiled at the first start.
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
    deepspeed.init_distributed(dist_init_required=False, verbose=False)
    return deepspeed


def settings(run: Run) -> dict[str, Any]:
    """The content of the stage's ds_config.json, which the compiler wrote whole."""
    path = run.stage_folder / "ds_config.json"
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise StageError(f"cannot read DeepSpeed's settings {path}: {fault}") from fault
    return content
