"""What the compiler believes of pipeline schedules against torch's own: for which sizes they can be made, and what they keep."""

from itertools import product
from types import SimpleNamespace

import pytest
import torch
from meshes import laid_out
from torch.distributed.pipelining import schedules as torch_schedules
from trainc.compiler.planner.schedules import DELAYING, GROUPS, accepts, kept_at_once, parts_at, takes
from trainc.compiler.spec import ClusterSpec, GpuSpec, MeshSpec
from trainc.runtime.axes import pp as runtime_pp
from trainc.runtime.engines.pipeline import ORDERS

CLUSTER = ClusterSpec(name="here", gpu=GpuSpec(name="gpu", memory=2**30), gpus_per_node=8)
SIZES = [(pp, groups) for pp, groups in product((2, 3, 4), (1, 2, 3))]
BACKWARD = {torch_schedules.FULL_BACKWARD, torch_schedules.BACKWARD_WEIGHT}


def mesh(schedule, pp, groups):
    return MeshSpec(name="mesh", cluster=CLUSTER, pp=pp, schedule=schedule, virtual_stages=groups)


def made(of, micro_batches):
    """torch's schedule as the first rank makes it; None where it refuses."""
    stages = [
        SimpleNamespace(
            stage_index=part,
            num_stages=of.parts,
            group_size=of.pp,
            group_rank=0,
            is_first=part == 0,
            is_last=part == of.parts - 1,
            submod=torch.nn.Identity(),
        )
        for part in parts_at(of, 0)
    ]
    kind = ORDERS[of.schedule]
    single = issubclass(kind, torch_schedules.PipelineScheduleSingle)
    try:
        return kind(stages[0] if single else stages, micro_batches, loss_fn=torch.sub)
    except ValueError:
        return None


def keeps(order, place):
    """The most forward passes of a rank whose backward pass has not been."""
    kept = most = 0
    for action in filter(None, order.pipeline_order[place]):
        for part in action.sub_actions or (action,):
            kept += part.computation_type == torch_schedules.FORWARD
            kept -= part.computation_type in BACKWARD
            most = max(most, kept)
    return most


@pytest.mark.parametrize("schedule", ORDERS)
def test_torch_makes_exactly_the_schedules_that_pass_the_rules(schedule):
    for pp, groups in SIZES:
        of = mesh(schedule, pp, groups)
        if takes(of):
            assert [made(of, count) is not None for count in range(1, 20)] == [accepts(of, count) for count in range(1, 20)]


@pytest.mark.parametrize("schedule", ORDERS)
def test_what_a_rank_keeps_is_what_torch_lets_it_keep(schedule):
    for (pp, groups), micro_batches in product(SIZES, (8, 12, 16)):
        of = mesh(schedule, pp, groups)
        if takes(of) and accepts(of, micro_batches):
            order = made(of, micro_batches)
            assert [kept_at_once(of, micro_batches, place) for place in range(pp)] == [keeps(order, place) for place in range(pp)]


@pytest.mark.parametrize("schedule", ORDERS)
def test_both_sides_lay_the_parts_on_the_same_ranks(schedule):
    for pp, groups in SIZES:
        of = mesh(schedule, pp, groups)
        if not takes(of):
            continue
        run = laid_out(pp=pp, schedule=schedule, virtual_stages=groups, split=[1] * of.parts)
        for place in range(pp):
            assert tuple(part.index for part in runtime_pp.parts_of(run, place)) == parts_at(of, place)


def test_every_schedule_of_the_language_runs():
    assert set(ORDERS) == set(MeshSpec.settings["schedule"].type.members) == set(GROUPS)
    assert set(DELAYING) < set(ORDERS)
