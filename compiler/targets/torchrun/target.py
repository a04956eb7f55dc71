"""The launch scripts for torchrun."""

from __future__ import annotations

from ...lower import Program
from ...plan import Plan
from ..templates import environment

SCRIPTS = ("local.sh", "torchrun.sh")


def emit(plan: Plan, programs: tuple[Program, ...]) -> dict[str, bytes]:
    """`launch/local.sh` for this machine alone, `launch/torchrun.sh` to be started on every node."""
    values = {"pipeline": plan.pipeline, "programs": programs}
    return {f"launch/{script}": environment().get_template(f"torchrun/{script}.j2").render(values).encode() for script in SCRIPTS}
