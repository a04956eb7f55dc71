"""TRN201: the degrees of a mesh do not multiply to the GPUs of its cluster.

Why: ranks that are left over never join a collective, so the job hangs at its start instead of failing
(torchtitan and Megatron-LM refuse such meshes when the job already holds its GPUs).
Example: `mesh m { cluster = c, dp_shard = 2, tp = 4 }` on a cluster of 12 GPUs
Instead: `mesh m { cluster = c, dp_shard = 3, tp = 4 }`
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding

AXES = ("pp", "dp_replicate", "dp_shard", "cp", "tp")


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the product of the degrees with the cluster."""
    mesh, gpus = stage.mesh, stage.mesh.cluster.world_size
    if mesh.size == gpus:
        return
    degrees = " x ".join(f"`{axis}` {getattr(mesh, axis)}" for axis in AXES if getattr(mesh, axis) > 1) or "every degree 1"
    others, rest = divmod(gpus, mesh.size // mesh.dp_shard)
    help = f"set `dp_shard = {others}`" if rest == 0 else f"choose degrees whose product is {gpus}"
    yield Finding(
        at="mesh",
        message=f"{degrees} makes {mesh.size} ranks, `{mesh.cluster.name}` has {gpus} GPUs",
        help=help,
        also={"mesh.cluster.gpus_per_node": f"{mesh.cluster.nodes} x {mesh.cluster.gpus_per_node} GPUs"},
    )
