"""The split of layers: none is lost, no part could be relieved, and what is written counts."""

from hypothesis import given
from hypothesis import strategies as st
from trainc.compiler.planner.split import balanced, head_worth, plan_split
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

EIGHT_BILLION = ArchitectureSpec(
    family="llama", layers=32, hidden=4096, ffn=14336, heads=32, kv_heads=8, vocab=128256, max_sequence=8192
)


def stage(split: list[int] | None = None, pp: int = 4) -> StageSpec:
    cluster = ClusterSpec(name="here", gpu=GpuSpec(name="gpu", memory=2**30), gpus_per_node=8)
    return StageSpec(
        name="stage",
        model=ModelSpec(name="model", source=Random(), tokenizer=Bpe(), architecture=EIGHT_BILLION),
        data=DataSpec(name="data", train=PythonStdlib(), sequence=8192),
        mesh=MeshSpec(name="mesh", cluster=cluster, pp=pp, split=split),
        batch=BatchSpec(micro=1, accumulation=8),
        optimizer=AdamW(lr=1e-3),
        duration=Extent(10, Dimension.STEPS),
    )


@given(st.integers(1, 16), st.integers(0, 60), st.floats(0, 6), st.floats(0, 6))
def test_no_layer_is_lost_and_no_move_of_a_layer_helps(parts: int, more: int, embedding: float, head: float) -> None:
    counts = balanced(parts + more, parts, embedding, head)
    assert sum(counts) == parts + more
    assert min(counts) >= 1
    costs = [count + embedding * (part == 0) + head * (part == parts - 1) for part, count in enumerate(counts)]
    movable = [cost for cost, count in zip(costs, counts, strict=True) if count > 1]
    assert max(movable, default=0.0) <= min(costs) + 1 + 1e-9


def test_the_head_of_a_large_vocabulary_is_worth_layers() -> None:
    # 6 x 128,256 x 4,096 operations a token; a layer's matrices have 218M entries, its attention 12 x 4,096 x 8,192.
    assert 1.8 < head_worth(stage()) < 1.9
    assert plan_split(stage()) == (7, 9, 9, 7)


def test_a_written_split_is_taken_as_it_is() -> None:
    assert plan_split(stage([10, 10, 10, 2])) == (10, 10, 10, 2)


def test_without_a_pipeline_all_layers_are_together() -> None:
    assert plan_split(stage(pp=1)) == (32,)
