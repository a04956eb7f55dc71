"""Pipeline parallelism: each rank holds some of the layers, and micro-batches pass from one rank to the next.

The layers stand in parts, whose sizes the plan gives. The first part has the embedding, the last one the final norm and the head.
With as many parts as ranks each rank holds one. With more, they go round the ranks in turn (Narayanan et al. 2021,
arXiv:2104.04473), or there and back, so that the first rank holds the last part too (Qi et al. 2023, arXiv:2401.10241).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel

from ..errors import StageError
from ..layers import Elsewhere, Nothing, decoder_layers
from ..planfile import RunMesh, RunPlan
from ..stage import Run

THERE_AND_BACK = ("zbv", "dualpipe_v")


@dataclass(frozen=True, slots=True)
class Part:
    """The `index`-th of `count` parts; `layers` are the indices of those that it computes."""

    index: int
    count: int
    layers: range

    @property
    def first(self) -> bool:
        """Whether it begins with tokens."""
        return self.index == 0

    @property
    def last(self) -> bool:
        """Whether it ends with logits."""
        return self.index == self.count - 1


def parts_of(mesh: RunMesh, place: int) -> tuple[Part, ...]:
    """The parts of the rank at a place along pp, in the order in which they compute."""
    borders = list(pairwise(accumulate(mesh.split, initial=0)))
    parts = [Part(index, len(borders), range(*border)) for index, border in enumerate(borders)]
    return tuple(part for part in parts if _holder(part, mesh) == place)


def apply(model: PreTrainedModel, run: Run, plan: RunPlan) -> None:
    """Takes from the model on the meta device what other ranks hold; what stays keeps its name."""
    parts, layers = parts_of(plan.mesh, run.meshes.index("pp")), decoder_layers(model)
    if sum(plan.mesh.split) != len(layers):
        raise StageError(f"the plan's split {plan.mesh.split} does not make the model's {len(layers)} layers")
    _untie(model)
    _keep(model, parts)


def callable_parts(model: PreTrainedModel, run: Run) -> tuple[nn.Module, ...]:
    """What to call for each part of this rank; its modules are the model's own."""
    mesh = run.plan.mesh
    return tuple(_CallablePart(model, part) for part in parts_of(mesh, run.meshes.index("pp"))) if mesh.pp > 1 else ()


def copied(model: PreTrainedModel) -> frozenset[str]:
    """Parameters of this rank that repeat another: the head of a model whose head is its embedding."""
    here = {name for name, _ in model.named_parameters()}
    return frozenset(here & set(type(model)._tied_weights_keys or ())) if model.config.tie_word_embeddings else frozenset()


def _holder(part: Part, mesh: RunMesh) -> int:
    turn, place = divmod(part.index, mesh.pp)
    return mesh.pp - 1 - place if turn % 2 and mesh.schedule in THERE_AND_BACK else place


class _CallablePart(nn.Module):
    """From tokens, or what the part before made, (batch, sequence, hidden), to what the next part is given, or logits."""

    def __init__(self, model: PreTrainedModel, part: Part) -> None:
        super().__init__()
        self.model, self._part = _twin(model), part
        _keep(self.model, (part,))

    def forward(self, given: torch.Tensor, **hints: torch.Tensor) -> torch.Tensor:
        fed = {"input_ids" if self._part.first else "inputs_embeds": given, "use_cache": False, **hints}
        if self._part.last:
            return self.model(**fed).logits
        hidden = self.model.base_model(**fed).last_hidden_state
        # GPT-2's is a view, which torch cannot take out of its graph when a schedule has gone back through it.
        return hidden.clone() if hidden._is_view() else hidden


def _twin(model: PreTrainedModel) -> PreTrainedModel:
    """The same modules below a model and a list of layers of their own."""
    twin, base = _shallow(model), _shallow(model.base_model)
    setattr(twin, model.base_model_prefix, base)
    for name, module in base.named_children():
        if isinstance(module, nn.ModuleList):
            setattr(base, name, nn.ModuleList(module))
    return twin


def _shallow(module: nn.Module) -> Any:
    twin = copy.copy(module)
    # Its children and hooks stand in dictionaries that the copy would share.
    twin.__dict__.update({name: dict(value) for name, value in module.__dict__.items() if isinstance(value, dict)})
    return twin


def _keep(model: PreTrainedModel, parts: tuple[Part, ...]) -> None:
    layers, embedding = decoder_layers(model), model.get_input_embeddings()
    for owner, name, module, leads in list(_around(model, layers)):
        if not any(part.first if leads else part.last for part in parts):
            # A later part is given hidden states where the embedding would make them; what else comes before is added to those.
            setattr(owner, name, Nothing() if leads and module is not embedding else Elsewhere())
    held = {index for part in parts for index in part.layers}
    for index in set(range(len(layers))) - held:
        layers[index] = Elsewhere()


def _untie(model: PreTrainedModel) -> None:
    """Embedding and head live in different parts: each gets a matrix of its own, which the engine keeps equal."""
    head = model.get_output_embeddings()
    head.weight = nn.Parameter(torch.empty_like(head.weight), requires_grad=head.weight.requires_grad)
    # An own attribute hides the class's, so that transformers ties them no more.
    model._tied_weights_keys = None


def _around(model: PreTrainedModel, layers: nn.ModuleList) -> Iterator[tuple[nn.Module, str, nn.Module, bool]]:
    """What has parameters outside the layers: its owner, its name, itself, and whether it comes before them."""
    base, leads = model.base_model, True
    for name, module in base.named_children():
        leads = leads and module is not layers
        if module is not layers and _has_parameters(module):
            yield base, name, module, leads
    for name, module in model.named_children():
        if module is not base and _has_parameters(module):
            yield model, name, module, False


def _has_parameters(module: nn.Module) -> bool:
    return any(True for _ in module.parameters())
