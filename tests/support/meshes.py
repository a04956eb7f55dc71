"""Meshes of a plan, in few words."""

from __future__ import annotations

from typing import Any

from trainc.runtime.planfile import RunMesh

ALONE: dict[str, Any] = {
    **dict.fromkeys(("dp_replicate", "dp_shard", "cp", "tp", "pp", "ep", "virtual_stages"), 1),
    "cp_method": "ulysses",
    "sequence_parallel": False,
    "schedule": "one_f_one_b",
    "split": [],
}


def laid_out(**changes: Any) -> RunMesh:
    """The mesh of one process with some fields otherwise."""
    return RunMesh(**ALONE | changes)
