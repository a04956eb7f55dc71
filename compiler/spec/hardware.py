"""The machines: `gpu` and `cluster`."""

from __future__ import annotations

from ..effect import Effect
from ..schema import Choice, ListOf, Record, RecordOf, setting
from .scalars import BANDWIDTH, BYTES, CAPABILITY, FLOPS, POSITIVE_COUNT


class GpuSpec(Record, kind="gpu", effect=Effect.NONE):
    """One device of a cluster, by its data sheet."""

    name: str
    vendor: str = setting(
        Choice(("nvidia", "amd", "cpu", "any")),
        "who makes it; `any` takes GPUs where there are any, shared if need be, else the CPU",
        default="nvidia",
        effect=Effect.RESUME_SAFE,
    )
    memory: int = setting(BYTES, "device memory")
    memory_bandwidth: float | None = setting(BANDWIDTH, "device memory bandwidth", default=None)
    bf16: float | None = setting(FLOPS, "dense bf16 operations a second", default=None)
    fp16: float | None = setting(FLOPS, "dense fp16 operations a second", default=None)
    fp32: float | None = setting(FLOPS, "fp32 (tf32 where the device has it) operations a second", default=None)
    fp8: float | None = setting(FLOPS, "dense fp8 operations a second", default=None)
    link: float | None = setting(BANDWIDTH, "link inside a node, per GPU and direction", default=None)
    compute_capability: float | None = setting(
        CAPABILITY, "CUDA compute capability, such as 9.0", default=None, effect=Effect.RESUME_SAFE
    )
    dtypes: list[str] = setting(
        ListOf(Choice(("fp32", "bf16", "fp16", "fp8"))),
        "dtypes its matrix units take",
        default=["fp32", "bf16", "fp16"],
    )


class ClusterSpec(Record, kind="cluster", effect=Effect.NONE):
    """Equal nodes of equal GPUs."""

    name: str
    gpu: GpuSpec = setting(RecordOf(GpuSpec), "what each node holds", effect=Effect.RESUME_SAFE)
    nodes: int = setting(POSITIVE_COUNT, "number of nodes", default=1, effect=Effect.RESHARDS)
    gpus_per_node: int = setting(POSITIVE_COUNT, "GPUs (processes) in a node", effect=Effect.RESHARDS)
    intra_node: float | None = setting(BANDWIDTH, "between GPUs of a node, per GPU; the gpu's link if left out", default=None)
    inter_node: float | None = setting(BANDWIDTH, "between nodes, per GPU", default=None)
    cpu_memory: int | None = setting(BYTES, "host memory of a node", default=None)
    cpus_per_node: int | None = setting(POSITIVE_COUNT, "processor cores of a node", default=None)
    nvme: int | None = setting(BYTES, "local disk of a node", default=None)

    @property
    def world_size(self) -> int:
        """GPUs in all."""
        return self.nodes * self.gpus_per_node
