"""Documents that share a sample: nothing of one reaches the other, forwards or backwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from trainc.runtime.data import IGNORED, Batch, Samples
from trainc.runtime.data.batches import collate
from trainc.runtime.data.samples import positions_in_documents
from trainc.runtime.network import Network
from trainc.runtime.objectives import causal
from transformers import LlamaConfig, LlamaForCausalLM

END = 0
FIRST = [5, 6, 7, 8, END]
SECOND = [9, 10, 11, 12, 13, 14, END]
SHAPE = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}


def batch(tokens: list[int], folder: Path, separator: int | None = END) -> Batch:
    """One sample that holds all tokens but the last, which is a target."""
    path = folder / "tokens.bin"
    numpy.array(tokens, dtype="uint16").tofile(path)
    return collate(Samples(path, "uint16", len(tokens) - 1, separator), [0])


@pytest.fixture(params=["sdpa", "eager"])
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=64, attn_implementation=request.param, **SHAPE)
    return LlamaForCausalLM(config)


def logits(model: Any, packed: Batch) -> torch.Tensor:
    found: torch.Tensor = model(input_ids=packed.inputs, use_cache=False, **packed.hints).logits[0]
    return found


def test_positions_start_again_after_the_end_of_a_document() -> None:
    tokens = torch.tensor([3, 4, END, END, 5, 6, 7, END])
    assert positions_in_documents(tokens, END).tolist() == [0, 1, 2, 0, 0, 1, 2, 3]


def test_no_document_predicts_the_next_ones_first_token(tmp_path: Path) -> None:
    packed = batch([*FIRST, *SECOND, 15], tmp_path)
    assert packed.targets[0].tolist() == [6, 7, 8, END, IGNORED, 10, 11, 12, 13, 14, END, IGNORED]


def test_without_packing_documents_run_on(tmp_path: Path) -> None:
    whole = batch([*FIRST, *SECOND, 15], tmp_path, separator=None)
    assert whole.positions is None
    assert whole.targets[0].tolist() == [*FIRST[1:], *SECOND, 15]


def test_a_document_changes_nothing_in_another(model: Any, tmp_path: Path) -> None:
    one = batch([*FIRST, *SECOND, 15], tmp_path)
    other = batch([40, 41, 42, 43, END, *SECOND, 15], tmp_path)
    second = slice(len(FIRST), None)
    assert torch.equal(logits(model, one)[second], logits(model, other)[second])
    assert torch.equal(one.targets[0, second], other.targets[0, second])
    assert not torch.equal(logits(model, one)[: len(FIRST)], logits(model, other)[: len(FIRST)])


def test_no_gradient_of_a_document_reaches_another(model: Any, tmp_path: Path) -> None:
    packed = batch([*FIRST, *SECOND, 15], tmp_path)
    hidden = model.get_input_embeddings()(packed.inputs).detach().requires_grad_()
    found = model(inputs_embeds=hidden, use_cache=False, **packed.hints).logits
    causal.summed(found[:, len(FIRST) :], packed.targets[:, len(FIRST) :]).backward()
    assert hidden.grad[0, : len(FIRST)].count_nonzero() == 0
    assert hidden.grad[0, len(FIRST) :].count_nonzero() > 0


def test_a_sample_costs_what_its_documents_cost_alone(model: Any, tmp_path: Path) -> None:
    network: Any = Network(model, model, exchange=None, autocast=torch.no_grad, weights=None)  # type: ignore[arg-type]
    together = causal.loss(network, batch([*FIRST, *SECOND, 15], tmp_path))
    alone = [causal.loss(network, batch([*document, 15], tmp_path)) for document in (FIRST, SECOND)]
    assert together.item() == pytest.approx(sum(part.item() for part in alone), abs=1e-5)
