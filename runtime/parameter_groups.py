"""Which part of a model each parameter belongs to, and with which rate and decay it is stepped.

The parts are those of the compiler's arithmetic (compiler/families/parts/decoder.py). Matrices and embeddings decay, norms and
biases do not: decay pulls towards zero, and a norm's neutral weight is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from transformers import PreTrainedModel

from .gradients import mesh_of
from .network import Network
from .planfile import RunGroup, RunOptimizer

# What transformers calls the modules of a layer.
_PARTS = {
    "attention": {"attn", "self_attn", "attention"},
    "experts": {"experts"},
    "shared_experts": {"shared_experts"},
    "router": {"gate", "router"},
    "feed_forward": {"mlp", "block_sparse_moe"},
}
_HIDDEN = ("attention", "feed_forward")


def groups(network: Network, settings: RunOptimizer, hidden: bool | None = None) -> list[dict[str, Any]]:
    """Groups for torch's optimizers: of all parameters, of the layers' matrices alone (`hidden`), or of the others.

    Those without a group of their own in the plan come first.
    """
    found: dict[tuple[int, bool, DeviceMesh | None], list[nn.Parameter]] = defaultdict(list)
    for name, entry in network.named_parameters:
        part, matrix = part_of(name, entry, network.model), dims_of(entry) >= 2
        if entry.requires_grad and hidden in (None, matrix and part in _HIDDEN):
            # Steps over many tensors take those of one mesh at a time.
            found[_place(part, settings.groups), matrix, mesh_of(entry)].append(entry)
    usual = settings.lr if hidden in (None, True) or settings.adamw_lr is None else settings.adamw_lr
    return [
        {"params": entries, **_settings(settings, place, usual, decays)}
        for (place, decays, _), entries in sorted(found.items(), key=lambda item: item[0][0])
    ]


def betas(settings: RunOptimizer) -> tuple[float, float]:
    """The decays of two moments."""
    assert settings.betas is not None, "the plan of an optimizer with two moments has them"
    first, second = settings.betas
    return first, second


def part_of(name: str, parameter: nn.Parameter, model: PreTrainedModel) -> str:
    """The part of the model that a parameter of this name belongs to; a tied head is the embedding."""
    for part, module in (("embedding", model.get_input_embeddings()), ("head", model.get_output_embeddings())):
        if parameter is getattr(module, "weight", None):
            return part
    words = set(name.split("."))
    inside = next((part for part, modules in _PARTS.items() if words & modules), None)
    return inside or ("positions" if dims_of(parameter) >= 2 else "norms")


def dims_of(parameter: nn.Parameter) -> int:
    """The dims of a parameter that is more than a vector; of one that DeepSpeed holds in parts those that it remembers."""
    # IA3 keeps its factors as a matrix of one row or column, which decay would pull from one to zero.
    return sum(size > 1 for size in getattr(parameter, "ds_shape", parameter.shape))


def _place(part: str, planned: Sequence[RunGroup]) -> int:
    return next((index for index, group in enumerate(planned) if part == group.part), -1)


def _settings(settings: RunOptimizer, place: int, usual: float, decays: bool) -> dict[str, float]:
    lr, decay = usual, settings.weight_decay
    if place >= 0:
        group = settings.groups[place]
        lr, decay = (given if given is not None else old for given, old in ((group.lr, lr), (group.weight_decay, decay)))
    return {"lr": lr, "weight_decay": decay * decays}
