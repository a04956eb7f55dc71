"""Batch arithmetic: what is derived multiplies to what was asked; TRN301 speaks exactly where nothing does, and helps."""

from hypothesis import given, settings
from hypothesis import strategies as st
from trainc.compiler.planner.batch import nearest_globals, plan_batch
from trainc.compiler.rules import module, names
from trainc.compiler.schema import Extent
from trainc.compiler.spec import (
    AdamW,
    ArchitectureSpec,
    BatchSpec,
    Bpe,
    ClusterSpec,
    DataSpec,
    GpuSpec,
    MeshSpec,
    ModelSpec,
    PythonStdlib,
    Random,
    StageSpec,
)
from trainc.compiler.units import Dimension

SHAPE = ArchitectureSpec(family="llama", layers=2, hidden=64, ffn=128, heads=4, vocab=512, max_sequence=128)
DEGREES = st.sampled_from([1, 2, 3, 4, 8])
SIZES = st.none() | st.integers(1, 8)

meshes = st.builds(
    lambda replicate, shard, tp: MeshSpec(
        name="mesh",
        cluster=ClusterSpec(name="here", gpu=GpuSpec(name="gpu", memory=2**30), gpus_per_node=replicate * shard * tp),
        dp_replicate=replicate,
        dp_shard=shard,
        tp=tp,
    ),
    *(DEGREES, DEGREES, DEGREES),
)
batches = st.builds(
    lambda global_size, micro, accumulation: BatchSpec(global_=global_size, micro=micro, accumulation=accumulation),
    *(st.none() | st.integers(1, 256), SIZES, SIZES),
)


def stage(mesh: MeshSpec, batch: BatchSpec) -> StageSpec:
    return StageSpec(
        name="stage",
        model=ModelSpec(name="model", source=Random(), tokenizer=Bpe(), architecture=SHAPE),
        data=DataSpec(name="data", train=PythonStdlib(), sequence=128),
        mesh=mesh,
        batch=batch,
        optimizer=AdamW(lr=1e-3),
        duration=Extent(10, Dimension.STEPS),
    )


def codes(mesh: MeshSpec, batch: BatchSpec) -> list[str]:
    about_batches = [module(name) for name in names() if name.startswith(("trn301", "trn302"))]
    return [rule.__name__.rpartition(".")[2][:6] for rule in about_batches for _ in rule.check_stage(stage(mesh, batch))]


@given(meshes, batches)
def test_a_plan_multiplies_to_the_global_batch_and_keeps_what_was_given(mesh: MeshSpec, batch: BatchSpec) -> None:
    plan = plan_batch(batch, mesh.data_parallel)
    if plan is None:
        return
    assert plan.global_size == plan.micro * plan.accumulation * mesh.dp_replicate * mesh.dp_shard
    assert batch.global_ in (None, plan.global_size)
    assert batch.micro in (None, plan.micro)
    assert batch.accumulation in (None, plan.accumulation)


@given(meshes, batches)
def test_a_batch_has_a_plan_or_exactly_one_finding(mesh: MeshSpec, batch: BatchSpec) -> None:
    if plan_batch(batch, mesh.data_parallel) is not None:
        assert codes(mesh, batch) == []
    elif batch.global_ is None and batch.micro is None:
        assert codes(mesh, batch) == ["trn302"]
    else:
        assert codes(mesh, batch) == ["trn301"]


@given(meshes, batches)
def test_a_batch_is_refused_only_where_no_whole_numbers_fit(mesh: MeshSpec, batch: BatchSpec) -> None:
    if batch.global_ is None or plan_batch(batch, mesh.data_parallel) is not None:
        return
    micros = [batch.micro] if batch.micro else range(1, batch.global_ + 1)
    accumulations = [batch.accumulation] if batch.accumulation else range(1, batch.global_ + 1)
    products = {micro * steps * mesh.data_parallel for micro in micros for steps in accumulations}
    assert batch.global_ not in products


# It tries every size in between.
@settings(deadline=None)
@given(meshes, batches.filter(lambda batch: batch.global_ is not None))
def test_the_nearest_sizes_are_legal_and_none_is_nearer(mesh: MeshSpec, batch: BatchSpec) -> None:
    wanted = batch.global_ or 0
    sizes = nearest_globals(batch, mesh.data_parallel)
    assert sizes == sorted(set(sizes))
    assert all(plan_batch(batch.replace(global_=size), mesh.data_parallel) for size in sizes)
    farthest = max(abs(size - wanted) for size in sizes)
    nearer = [size for size in range(max(wanted - farthest + 1, 1), wanted + farthest) if size not in sizes]
    assert not any(plan_batch(batch.replace(global_=size), mesh.data_parallel) for size in nearer)
