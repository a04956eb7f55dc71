"""What turns gradients into steps, and the groups of parameters that it treats apart."""

from __future__ import annotations

from typing import Any

from ..effect import Effect
from ..schema import Choice, ListOf, Record, RecordOf, setting
from .scalars import BOOL, FACTOR, NON_NEGATIVE, POSITIVE, POSITIVE_COUNT


class GroupSpec(Record, part="group", effect=Effect.RESUME_SAFE):
    """A rate or a decay of its own for a part of the model; the schedule scales every rate alike."""

    lr: float | None = setting(POSITIVE, "its peak learning rate; the optimizer's if left out", default=None)
    weight_decay: float | None = setting(NON_NEGATIVE, "decay of its matrices; the optimizer's if left out", default=None)


def _group(doc: str) -> Any:
    return setting(RecordOf(GroupSpec), doc, default=None)


class GroupsSpec(Record, part="groups", effect=Effect.RESUME_SAFE):
    """The parts of a model that an optimizer may treat apart; each parameter belongs to one."""

    embedding: GroupSpec | None = _group("the input's matrix, and the head where it is tied to it")
    positions: GroupSpec | None = _group("learned positions")
    attention: GroupSpec | None = _group("matrices, biases and norms of heads inside attention")
    feed_forward: GroupSpec | None = _group("matrices and biases of feed-forward blocks without experts")
    router: GroupSpec | None = _group("what chooses experts")
    shared_experts: GroupSpec | None = _group("the experts that every token visits")
    experts: GroupSpec | None = _group("their matrices")
    norms: GroupSpec | None = _group("norms between the blocks, and the last one")
    head: GroupSpec | None = _group("the output's matrix, where it is not the embedding")


class Optimizer(Record, family="optimizer", effect=Effect.RESUME_SAFE):
    """What turns gradients into steps."""

    groups: GroupsSpec = setting(RecordOf(GroupsSpec), "parts of the model with settings of their own", default=GroupsSpec())


class AdamW(Optimizer, variant="adamw"):
    """Adam with decoupled weight decay (Loshchilov & Hutter 2019, arXiv:1711.05101)."""

    lr: float = setting(POSITIVE, "peak learning rate")
    betas: list[float] = setting(ListOf(NON_NEGATIVE, 2), "decay of the two moments", default=[0.9, 0.95])
    eps: float = setting(POSITIVE, "added to the root of the second moment", default=1e-8)
    weight_decay: float = setting(NON_NEGATIVE, "decay of matrices; norms and biases have none", default=0.1)


class AdamW8bit(Optimizer, variant="adamw8bit"):
    """AdamW with moments in 8 bits (Dettmers et al. 2022, arXiv:2110.02861)."""

    lr: float = setting(POSITIVE, "peak learning rate")
    betas: list[float] = setting(ListOf(NON_NEGATIVE, 2), "decay of the two moments", default=[0.9, 0.95])
    eps: float = setting(POSITIVE, "added to the root of the second moment", default=1e-8)
    weight_decay: float = setting(NON_NEGATIVE, "decay of matrices; norms and biases have none", default=0.1)


class Adafactor(Optimizer, variant="adafactor"):
    """Second moments by row and column, steps relative to a tensor's size (Shazeer & Stern 2018, arXiv:1804.04235)."""

    lr: float = setting(POSITIVE, "peak of the relative step: what a tensor changes by, as a share of its own size")
    decay_rate: float = setting(NON_NEGATIVE, "second moments of step t decay by 1 - t^-decay_rate", default=0.8)
    clip_threshold: float = setting(FACTOR, "largest size of an update before the rate", default=1.0)
    least_scale: float = setting(POSITIVE, "the least that a tensor's size is taken to be", default=1e-3)
    weight_decay: float = setting(NON_NEGATIVE, "decay of matrices; norms and biases have none", default=0.0)


class Lion(Optimizer, variant="lion"):
    """The sign of a momentum (Chen et al. 2023, arXiv:2302.06675), whose rates are 3 to 10 times lower than AdamW's."""

    lr: float = setting(POSITIVE, "peak learning rate, by which every entry moves")
    betas: list[float] = setting(ListOf(NON_NEGATIVE, 2), "share of the momentum in a step, and its decay", default=[0.9, 0.99])
    weight_decay: float = setting(NON_NEGATIVE, "decay of matrices; norms and biases have none", default=0.1)


class Muon(Optimizer, variant="muon"):
    """Orthogonalised momentum for the layers' matrices, AdamW for the rest (Liu et al. 2025, arXiv:2502.16982)."""

    lr: float = setting(POSITIVE, "peak learning rate of the layers' matrices")
    adamw_lr: float | None = setting(POSITIVE, "that of embedding, head, norms and biases; `lr` if left out", default=None)
    momentum: float = setting(NON_NEGATIVE, "decay of the momentum", default=0.95)
    nesterov: bool = setting(BOOL, "look one step of the momentum ahead", default=True)
    ns_steps: int = setting(POSITIVE_COUNT, "steps of Newton-Schulz, which orthogonalise", default=5)
    adjust_lr: str = setting(
        Choice(("match_rms_adamw", "original")),
        "how a matrix's shape scales its rate: to the size of AdamW's steps, so that AdamW's rates fit; or as first published",
        default="match_rms_adamw",
    )
    betas: list[float] = setting(ListOf(NON_NEGATIVE, 2), "AdamW's", default=[0.9, 0.95])
    eps: float = setting(POSITIVE, "AdamW's", default=1e-8)
    weight_decay: float = setting(NON_NEGATIVE, "decay of matrices and embeddings; norms and biases have none", default=0.1)


class Sgd(Optimizer, variant="sgd"):
    """Stochastic gradient descent with momentum."""

    lr: float = setting(POSITIVE, "peak learning rate")
    momentum: float = setting(NON_NEGATIVE, "decay of the momentum; 0 keeps none", default=0.9, effect=Effect.RESTART)
    nesterov: bool = setting(BOOL, "look one step of the momentum ahead", default=False)
    weight_decay: float = setting(NON_NEGATIVE, "share of matrices that is added to their gradients", default=0.0)
