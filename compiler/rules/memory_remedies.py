"""Ways to make a stage smaller, each tried with the planner before a rule suggests it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..plan import StagePlan
from ..planner.batch import plan_batch
from ..planner.memory import plan_memory
from ..spec import Ddp, Fsdp2, GpuSpec, StageSpec
from ..units import format_gib
from .choices import divisors


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change in the words of the language, the stage that it makes, and its peak."""

    words: str
    stage: StageSpec
    peak_bytes: int


def largest_terms(plan: StagePlan, count: int = 3) -> str:
    """The terms of a peak that weigh most: "optimizer 37.3 GiB, activations 12.0 GiB"."""
    terms = sorted(plan.memory.terms.items(), key=lambda term: -term[1])
    return ", ".join(f"{name} {format_gib(size)}" for name, size in terms[:count] if size)


def usable_bytes(gpu: GpuSpec) -> float:
    """What predicted tensors may fill: context, NCCL's buffers, workspaces and fragments come on top of them."""
    return 0.92 * gpu.memory


def way_out(plan: StagePlan) -> str:
    """The gentlest change that fits, or what all of them leave."""
    stage, limit = plan.spec, usable_bytes(plan.spec.mesh.cluster.gpu)
    words: list[str] = []
    for change in (_shard, _split, _recompute):
        remedies = list(change(stage, plan.parameters.total))
        fitting = next((remedy for remedy in remedies if remedy.peak_bytes <= limit), None)
        if fitting:
            return f"set {' and '.join([*words, fitting.words])}: {format_gib(fitting.peak_bytes)}"
        if remedies:
            stage, words = remedies[-1].stage, [*words, remedies[-1].words]
    if not words:
        return "use more or larger GPUs"
    return f"use more or larger GPUs: even {' and '.join(words)} take {format_gib(_peak(stage, plan.parameters.total))}"


def _shard(stage: StageSpec, parameters: int) -> Iterator[Remedy]:
    """Model states over all data-parallel ranks: costs communication only."""
    ranks = stage.mesh.data_parallel
    if ranks == 1 or (ranks == stage.mesh.dp_shard and isinstance(stage.strategy, Fsdp2)):
        return
    if isinstance(stage.strategy, Ddp | Fsdp2):
        strategy = stage.strategy if isinstance(stage.strategy, Fsdp2) else Fsdp2()
        less = stage.replace(strategy=strategy, mesh=stage.mesh.replace(dp_replicate=1, dp_shard=ranks))
        yield Remedy(f"`strategy = fsdp2` with `dp_replicate = 1` and `dp_shard = {ranks}`", less, _peak(less, parameters))


def _split(stage: StageSpec, parameters: int) -> Iterator[Remedy]:
    """Fewer samples at once, and more accumulation: costs little."""
    batch = stage.batch
    if batch.global_ is None or batch.micro is None or batch.accumulation is not None:
        return
    for micro in reversed(divisors(batch.micro)[:-1]):
        smaller = stage.replace(batch=batch.replace(micro=micro))
        yield Remedy(f"`micro = {micro}`", smaller, _peak(smaller, parameters))


def _recompute(stage: StageSpec, parameters: int) -> Iterator[Remedy]:
    """Activations once more in the backward pass: costs a third more computation."""
    if stage.recompute == "none":
        again = stage.replace(recompute="full")
        yield Remedy("`recompute = full`", again, _peak(again, parameters))


def _peak(stage: StageSpec, parameters: int) -> int:
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    assert batch is not None, "a remedy keeps the batch whole"
    return plan_memory(stage, batch, parameters).peak_bytes
