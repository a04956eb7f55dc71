"""Ways to make a stage smaller, each tried with the planner before a rule suggests it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from ..plan import StagePlan
from ..planner.batch import plan_batch
from ..planner.memory import plan_memory
from ..spec import Ddp, Fsdp2, GpuSpec, StageSpec
from ..units import format_gib
from .choices import divisors

# A change in the words of the language, and the stage that it makes.
Change = tuple[str, StageSpec]


def largest_terms(plan: StagePlan, count: int = 3) -> str:
    """The terms of a peak that weigh most: "optimizer 37.3 GiB, activations 12.0 GiB"."""
    terms = sorted(plan.memory.terms.items(), key=lambda term: -term[1])
    return ", ".join(f"{name} {format_gib(size)}" for name, size in terms[:count] if size)


def usable_bytes(gpu: GpuSpec) -> float:
    """What predicted tensors may fill: context, NCCL's buffers, workspaces and fragments come on top of them."""
    return 0.92 * gpu.memory


def way_out(plan: StagePlan) -> str:
    """The fewest and gentlest changes that fit, or what all of them leave."""
    limit = usable_bytes(plan.spec.mesh.cluster.gpu)
    least = (plan.memory.peak_bytes, "")
    for count in range(1, len(_CHANGES) + 1):
        for changes in combinations(_CHANGES, count):
            for words, stage in _changed(plan.spec, changes):
                peak = _peak(stage)
                if peak <= limit:
                    return f"set {words}: {format_gib(peak)}"
                least = min(least, (peak, words))
    return (
        f"use more or larger GPUs: even with {least[1]} it takes {format_gib(least[0])}" if least[1] else "use more or larger GPUs"
    )


def _changed(stage: StageSpec, changes: Sequence[Callable[[StageSpec], Iterator[Change]]]) -> Iterator[Change]:
    """Every way to make some changes together."""
    first, *others = changes
    for words, changed in first(stage):
        if others:
            yield from ((f"{words} and {further}", result) for further, result in _changed(changed, others))
        else:
            yield words, changed


def _shard(stage: StageSpec) -> Iterator[Change]:
    """Model states over all data-parallel ranks: costs communication only."""
    mesh, ranks = stage.mesh, stage.mesh.data_parallel
    if isinstance(stage.strategy, Ddp | Fsdp2) and ranks > 1 and (mesh.dp_shard < ranks or isinstance(stage.strategy, Ddp)):
        strategy = stage.strategy if isinstance(stage.strategy, Fsdp2) else Fsdp2()
        sharded = stage.replace(strategy=strategy, mesh=mesh.replace(dp_replicate=1, dp_shard=ranks))
        yield f"`strategy = fsdp2` with `dp_replicate = 1` and `dp_shard = {ranks}`", sharded


def _split(stage: StageSpec) -> Iterator[Change]:
    """Fewer samples at once, and more accumulation: costs little."""
    batch = stage.batch
    if batch.global_ is not None and batch.micro is not None and batch.accumulation is None:
        for micro in reversed(divisors(batch.micro)[:-1]):
            yield f"`micro = {micro}`", stage.replace(batch=batch.replace(micro=micro))


def _recompute(stage: StageSpec) -> Iterator[Change]:
    """Activations once more in the backward pass: some of them cost little, all of them a third more computation."""
    if stage.recompute == "none":
        yield "`recompute = selective`", stage.replace(recompute="selective")
    if stage.recompute in ("none", "selective"):
        yield "`recompute = full`", stage.replace(recompute="full")
    if stage.recompute_every > 1:
        yield "`recompute_every = 1`", stage.replace(recompute_every=1)


def _sync(stage: StageSpec) -> Iterator[Change]:
    """Gradients reduced after each micro-batch: more communication, and none that wait whole."""
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    strategy = stage.strategy
    if isinstance(strategy, Fsdp2) and not strategy.sync_each_batch and stage.mesh.pp == 1 and batch and batch.accumulation > 1:
        changed = Fsdp2(**{**strategy.__dict__, "sync_each_batch": True})
        yield "`sync_each_batch = true` in `fsdp2`", stage.replace(strategy=changed)


_CHANGES = (_shard, _split, _recompute, _sync)


def _peak(stage: StageSpec) -> int:
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    assert batch is not None, "every change keeps the batch whole"
    return plan_memory(stage, batch).peak_bytes
