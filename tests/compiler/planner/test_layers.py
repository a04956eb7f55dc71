"""Models whose first layers are dense: no layer is lost or counted twice, whatever holds it."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trainc.compiler.families import family
from trainc.compiler.planner.batch import BatchPlan
from trainc.compiler.planner.layers import first_layer, kinds
from trainc.compiler.planner.recomputation import recomputed, recomputed_among
from trainc.compiler.planner.share import shares
from trainc.compiler.planner.split import dense_worth, packed, plan_split
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

SIXTEEN_BILLION = ArchitectureSpec(
    family="deepseek_v3",
    layers=27,
    hidden=2048,
    ffn=11264,
    heads=16,
    vocab=163840,
    max_sequence=8192,
    experts=64,
    experts_per_token=6,
    expert_ffn=1408,
    shared_experts=2,
    first_k_dense_replace=5,
    kv_lora_rank=512,
    qk_nope_head_dim=128,
    qk_rope_head_dim=64,
    v_head_dim=128,
)


def stage(**mesh: object) -> StageSpec:
    cluster = ClusterSpec(name="here", gpu=GpuSpec(name="gpu", memory=2**30), gpus_per_node=8)
    return StageSpec(
        name="stage",
        model=ModelSpec(name="model", source=Random(), tokenizer=Bpe(), architecture=SIXTEEN_BILLION),
        data=DataSpec(name="data", train=PythonStdlib(), sequence=4096),
        mesh=MeshSpec(name="mesh", cluster=cluster, **mesh),
        batch=BatchSpec(micro=1, accumulation=8),
        optimizer=AdamW(lr=1e-3),
        duration=Extent(10, Dimension.STEPS),
    )


@pytest.mark.parametrize(
    "mesh",
    [
        {},
        {"pp": 4},
        {"pp": 8, "split": [1, 1, 1, 4, 5, 5, 5, 5]},
        {"pp": 4, "schedule": "interleaved", "virtual_stages": 2},
        {"pp": 2, "schedule": "zbv", "virtual_stages": 2},
    ],
)
def test_the_ranks_of_a_pipeline_hold_the_model_once(mesh: dict[str, object]) -> None:
    found = list(shares(stage(**mesh), BatchPlan(8, 1, 8, 1)))
    assert sum(share.parameters for share in found) == sum(family("deepseek_v3").parameters(SIXTEEN_BILLION).values())
    assert sum(share.dense for share in found) == 5
    assert sum(share.layers for share in found) == 27


def test_a_dense_layer_is_the_first_and_one_with_experts_the_last() -> None:
    model, architecture = family("deepseek_v3"), SIXTEEN_BILLION
    dense, sparse = model.layer_parameters(first_layer(architecture)), model.layer_parameters(architecture)
    assert dense < sparse
    assert model.layers_parameters(architecture) == 5 * dense + 22 * sparse
    assert [(kind.count, model.layer_parameters(kind.stage.model.architecture)) for kind in kinds(stage())] == [
        (5, dense),
        (22, sparse),
    ]


def test_a_dense_layer_counts_by_its_operations() -> None:
    # 3 x 2,048 x 11,264 entries beside 8 x 3 x 2,048 x 1,408 of experts and a router: nearly the same here.
    assert 0.99 < dense_worth(stage()) < 1.0
    light = stage().model.architecture.replace(ffn=1024)
    assert dense_worth(stage().replace(model=stage().model.replace(architecture=light))) < 0.5
    # The first part takes more of the light layers.
    light_stage = stage(pp=4)
    counts = plan_split(light_stage.replace(model=light_stage.model.replace(architecture=light)))
    assert counts[0] > plan_split(light_stage)[0]


@given(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=5, max_size=9), st.integers(1, 5), st.floats(0, 4))
def test_no_other_split_has_a_lighter_costliest_part(costs: list[float], parts: int, head: float) -> None:
    costs[-1] += head

    def costliest(borders: tuple[int, ...]) -> float:
        return max(sum(costs[first:last]) for first, last in pairwise((0, *borders, len(costs))))

    best = min(costliest(borders) for borders in combinations(range(1, len(costs)), parts - 1))
    counts = packed(costs, parts)
    borders = tuple(sum(counts[:part]) for part in range(1, parts))
    assert (sum(counts), len(counts), min(counts) >= 1) == (len(costs), parts, True)
    assert costliest(borders) == pytest.approx(best)


@given(st.integers(1, 5), st.integers(0, 27))
def test_recomputed_layers_of_two_kinds_add_up(every: int, dense: int) -> None:
    spec = stage().replace(recompute="full", recompute_every=every)
    assert recomputed_among(spec, 0, dense) + recomputed_among(spec, dense, 27 - dense) == recomputed(spec)
