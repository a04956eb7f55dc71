"""TRN244: `nvme` without the path of a disk, or the path without anything that goes there.

Why: DeepSpeed stops at the first parameter when it has no path (deepspeedai/DeepSpeed#2624), after all nodes were taken; a path
that nothing uses is ignored. A path that is not absolute would begin inside the bundle.
Example:
  strategy = zero3 { offload_optimizer = nvme }
Instead:
  strategy = zero3 { offload_optimizer = nvme, nvme_path = "/local_nvme" }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding
from .zero_stages import is_zero3

FIELDS = ("offload_optimizer", "offload_parameters")


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that path and use come together, and for a path that means the same everywhere."""
    strategy = stage.strategy
    if not is_zero3(strategy):
        return
    used = [field for field in FIELDS if getattr(strategy, field) == "nvme"]
    path = strategy.nvme_path
    if used and path is None:
        yield Finding(
            at=f"strategy.{used[0]}",
            message=f"`{used[0]}` is nvme, and no `nvme_path` says where",
            help='set `nvme_path` to a folder on each node\'s own disk, such as "/local_nvme"',
        )
    if path is not None and not used:
        yield Finding(
            at="strategy.nvme_path",
            message="`nvme_path` is given, and nothing is offloaded to nvme",
            help="leave it out, or offload the optimizer or the parameters there",
        )
    if path is not None and used and not path.startswith("/"):
        yield Finding(
            at="strategy.nvme_path",
            message=f'`nvme_path` "{path}" would begin inside the bundle',
            help=f'begin at the root: "/{path}"',
        )
