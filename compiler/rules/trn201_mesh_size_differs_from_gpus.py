"""TRN201: the degrees of a mesh do not multiply to the GPUs of its cluster.

Why: ranks that are left over never join a collective, so the job hangs at its start instead of failing; torchtitan refuses such
a mesh only when every node has started (pytorch/torchtitan#27, pytorch/torchtitan#4831).
Example:
  cluster prod { nodes = 3, gpus_per_node = 4 }
  mesh wide { dp_shard = 2, tp = 4 }
Instead:
  mesh wide { dp_shard = 3, tp = 4 }
  batch { global = 66, micro = 2 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import MeshSpec, StageSpec
from . import Finding

AXES = ("pp", "dp_replicate", "dp_shard", "cp", "tp")


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares the product of the degrees with the cluster."""
    mesh, cluster = stage.mesh, stage.mesh.cluster
    if mesh.size == cluster.world_size:
        return
    degrees = " x ".join(f"`{axis}` {getattr(mesh, axis)}" for axis in AXES if getattr(mesh, axis) > 1) or "every degree 1"
    at, help = _way_out(mesh)
    yield Finding(
        at=f"mesh.{at}",
        message=f"{degrees} makes {mesh.size} rank{'s' * (mesh.size > 1)}, `{cluster.name}` has {cluster.world_size} GPUs",
        help=help,
        also={"mesh.cluster.gpus_per_node": f"{cluster.nodes} x {cluster.gpus_per_node} GPUs"},
    )


def _way_out(mesh: MeshSpec) -> tuple[str, str]:
    """The degree to change, and to what; `dp_shard` takes what the others leave, where that is whole."""
    gpus = mesh.cluster.world_size
    shards, rest = divmod(gpus, mesh.size // mesh.dp_shard)
    if not rest:
        return "dp_shard", f"set `dp_shard = {shards}`"
    odd = next((axis for axis in AXES if gpus % getattr(mesh, axis)), "dp_shard")
    return odd, f"choose degrees whose product is {gpus}"
