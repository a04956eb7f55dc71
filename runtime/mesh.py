"""The ranks as meshes: which of them share model states, and which see the same samples."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .planfile import RunMesh

AXES = ("pp", "dp_replicate", "dp_shard", "cp", "tp")


@dataclass(frozen=True, slots=True)
class Meshes:
    """Two views of one order of ranks: pp outermost, then dp_replicate, dp_shard and cp, and tp innermost, inside a node.

    `states` has the axes pp, dp_replicate, dp_shard, tp. Ranks that share a sequence share model states too, so its dp_shard is the
    plan's dp_shard x cp. `samples` has the axes pp, dp, cp, tp: ranks that differ in dp see different samples.
    """

    states: DeviceMesh
    samples: DeviceMesh

    @property
    def replicas(self) -> DeviceMesh:
        """The ranks that share or repeat a copy of the model states: dp_replicate x dp_shard, or dp_shard alone."""
        return self.states["dp_replicate", "dp_shard"] if self.size("dp_replicate") > 1 else self.states["dp_shard"]

    def size(self, axis: str) -> int:
        """Ranks along an axis of either view."""
        return self._view(axis)[axis].size()

    def index(self, axis: str) -> int:
        """Where this rank stands along an axis of either view."""
        return self._view(axis).get_local_rank(axis)

    def _view(self, axis: str) -> DeviceMesh:
        return self.samples if axis in ("dp", "cp") else self.states


def lay_out(mesh: RunMesh, device: torch.device) -> Meshes:
    """Both views; every rank calls it."""
    states = (mesh.pp, mesh.dp_replicate, mesh.dp_shard * mesh.cp, mesh.tp)
    samples = (mesh.pp, mesh.dp_replicate * mesh.dp_shard, mesh.cp, mesh.tp)
    return Meshes(
        init_device_mesh(device.type, states, mesh_dim_names=("pp", "dp_replicate", "dp_shard", "tp")),
        init_device_mesh(device.type, samples, mesh_dim_names=("pp", "dp", "cp", "tp")),
    )
