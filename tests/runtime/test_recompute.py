"""Recomputation: which layers it takes, and that it changes no number."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointWrapper
from trainc.runtime import recompute
from trainc.runtime.layers import decoder_layers
from transformers import LlamaConfig, LlamaForCausalLM

SHORT = {"schedule__total_steps": 5}


@pytest.mark.parametrize(("every", "again"), [(1, [0, 1, 2, 3, 4]), (2, [1, 3]), (3, [2]), (5, [4])])
def test_the_last_layer_of_every_group_is_computed_again(every: int, again: list[int]) -> None:
    config = LlamaConfig(num_hidden_layers=5, hidden_size=16, intermediate_size=16, num_attention_heads=2, vocab_size=16)
    with torch.device("meta"):
        model = LlamaForCausalLM(config)
    names = [name for name, _ in model.named_parameters()]
    recompute.full(model, every)
    assert [index for index, layer in enumerate(decoder_layers(model)) if isinstance(layer, CheckpointWrapper)] == again
    assert list(model.state_dict()) == [*names, "lm_head.weight"][: len(model.state_dict())]


@pytest.fixture(scope="module")
def reference(workshop: Any) -> Any:
    return workshop.stage("reference", workshop.spread(1, micro=2), **SHORT).finish()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "every", "axes"),
    [
        ("fsdp2", "full", 2, {}),
        ("tp", "selective", 2, {"tp": 2}),
        ("sequence-parallel", "full", 1, {"tp": 2, "sequence_parallel": True}),
    ],
)
def test_losses_are_those_without_it(
    workshop: Any, reference: Any, name: str, kind: str, every: int, axes: dict[str, int | bool]
) -> None:
    where = workshop.spread(1 if axes else 2, "fsdp2", micro=2, **axes)
    stage = workshop.stage(name, where, recompute=kind, recompute_every=every, **SHORT).finish()
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-5)
    norms, expected = ([row["grad_norm"] for row in run.metrics()] for run in (stage, reference))
    assert norms == pytest.approx(expected, abs=1e-4)
    # A sharded model writes a tied head twice.
    assert set(stage.weights()) - {"lm_head.weight"} == set(reference.weights())
