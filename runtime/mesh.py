"""The ranks as meshes: which of them share model states, and which see the same samples."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .planfile import RunMesh

AXES = ("pp", "dp_replicate", "dp_shard", "cp", "tp")


@dataclass(frozen=True, slots=True)
class Meshes:
    """Three views of one order of ranks: pp outermost, then dp_replicate, dp_shard and cp, and tp innermost, inside a node.

    `states` has the axes pp, dp_replicate, dp_shard, tp. Ranks that share a sequence share model states too, so its dp_shard is the
    plan's dp_shard x cp. `samples` has the axes pp, dp, cp, tp: ranks that differ in dp see different samples. `experts` has the
    axes pp, dp_replicate, dp_shard, ep: what `states` calls dp_shard and tp, with neighbours along ep holding different experts.
    """

    states: DeviceMesh
    samples: DeviceMesh
    experts: DeviceMesh

    @property
    def replicas(self) -> DeviceMesh:
        """The ranks that share or repeat a copy of the model states: dp_replicate x dp_shard, or dp_shard alone."""
        return _copies(self.states)

    @property
    def expert_replicas(self) -> DeviceMesh:
        """The same for experts."""
        return _copies(self.experts)

    def size(self, axis: str) -> int:
        """Ranks along an axis; dp_shard is that of `states`."""
        view, place = self._place(axis)
        return view.shape[place]

    def index(self, axis: str) -> int:
        """Where this rank stands along an axis; dp_shard is that of `states`."""
        view, place = self._place(axis)
        return view.get_local_rank(place)

    def _place(self, axis: str) -> tuple[DeviceMesh, int]:
        """The view that has an axis, and where. Asked by name, torch makes a mesh each time: 0.1 ms, often."""
        view = self.samples if axis in ("dp", "cp") else self.experts if axis == "ep" else self.states
        return view, (view.mesh_dim_names or ()).index(axis)


def _copies(view: DeviceMesh) -> DeviceMesh:
    return view["dp_replicate", "dp_shard"] if view["dp_replicate"].size() > 1 else view["dp_shard"]


def lay_out(mesh: RunMesh, device: torch.device) -> Meshes:
    """All views; every rank calls it."""
    states = (mesh.pp, mesh.dp_replicate, mesh.dp_shard * mesh.cp, mesh.tp)
    samples = (mesh.pp, mesh.dp_replicate * mesh.dp_shard, mesh.cp, mesh.tp)
    experts = (mesh.pp, mesh.dp_replicate, mesh.dp_shard * mesh.cp * mesh.tp // mesh.ep, mesh.ep)
    return Meshes(
        init_device_mesh(device.type, states, mesh_dim_names=("pp", "dp_replicate", "dp_shard", "tp")),
        init_device_mesh(device.type, samples, mesh_dim_names=("pp", "dp", "cp", "tp")),
        init_device_mesh(device.type, experts, mesh_dim_names=("pp", "dp_replicate", "dp_shard", "ep")),
    )
