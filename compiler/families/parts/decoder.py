"""A decoder put together from its parts: parameters, bytes a token, operations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from .attention import Attention, Shape
from .experts import Experts
from .feed_forward import FeedForward
from .matrices import Linears
from .norms import Norm
from .stream import Stream

# The matrices of a layer that do not read its normalised states.
LAST = ("o", "down")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """Equal layers between an embedding and a head.

    `norms` counts those of one layer over the residual stream, of which two feed matrices; `parallel` ones read the same state
    of it. `positions` are learned ones; `logit_softcap` keeps a second copy of the logits. `transposed` layers store their matrices
    as (in, out).
    """

    layers: int
    hidden: int
    vocab: int
    tied: bool
    attention: Attention
    feed_forward: FeedForward | Experts
    norm: Norm
    norms: int = 2
    parallel: bool = False
    positions: int = 0
    logit_softcap: bool = False
    transposed: bool = False

    @property
    def parameters(self) -> Mapping[str, int]:
        """Parameters by part; a tied output matrix is the embedding and counts there."""
        matrix = self.vocab * self.hidden
        return {
            "embedding": matrix,
            **({"positions": self.positions * self.hidden} if self.positions else {}),
            "attention": self.layers * self.attention.parameters,
            **{name: self.layers * count for name, count in self.feed_forward.parts.items()},
            # Those of the layers and the last one.
            "norms": (self.norms * self.layers + 1) * self.norm.parameters(self.hidden),
            "head": 0 if self.tied else matrix,
        }

    @property
    def shapes(self) -> Mapping[str, Sequence[Shape]]:
        """The parameters of `parameters` one by one; a matrix as its framework stores it."""
        layer = {"attention": self.attention.shapes, **self.feed_forward.shapes}
        matrix = (self.vocab, self.hidden)
        return {
            "embedding": [matrix],
            **({"positions": [(self.positions, self.hidden)]} if self.positions else {}),
            **{name: [self._stored(shape) for shape in shapes] * self.layers for name, shapes in layer.items()},
            "norms": [(self.hidden,)] * self.norm.vectors * (self.norms * self.layers + 1),
            "head": [] if self.tied else [matrix],
        }

    def _stored(self, shape: Shape) -> Shape:
        return shape[::-1] if self.transposed else shape

    @property
    def layer_parameters(self) -> int:
        """Parameters of one decoder layer."""
        norms = self.norms * self.norm.parameters(self.hidden)
        return self.attention.parameters + self.feed_forward.parameters + norms

    @property
    def linears(self) -> Linears:
        """The matrices of one layer by short name."""
        return self.attention.linears | self.feed_forward.linears

    @property
    def largest_matrix(self) -> int:
        """Entries of a layer's largest matrix."""
        return max(self.attention.largest_matrix, self.feed_forward.largest_matrix)

    @property
    def gathers(self) -> bool:
        """Whether tensor parallelism gathers what the first matrices make: a slice of joined gate and up is no slice of each."""
        return isinstance(self.feed_forward, FeedForward) and self.feed_forward.joined

    def frozen(self) -> Decoder:
        """The decoder where only adapters train: its norms keep nothing for vectors of their own."""
        attention = self.attention
        if attention.head_norm:
            attention = replace(attention, head_norm=attention.head_norm.frozen)
        return replace(self, norm=self.norm.frozen, attention=attention)

    def saved_beside(self, compute: int, stream: Stream, trained: Collection[str]) -> int:
        """Bytes that one layer keeps where only adapters of the matrices `trained` train: what other matrices read is not kept."""
        saved, casts = self.frozen().saved(compute, stream), stream.element != compute
        inputs = compute * self.hidden
        for block in (self.attention, self.feed_forward):
            readers = [name for name in block.linears if name in trained and name not in LAST]
            unread = (block.readers if casts else 1) - (len(readers) if casts else bool(readers))
            saved -= inputs * unread
        return saved - (0 if "down" in trained else self.feed_forward.unread(compute))

    def last_inputs(self, compute: int) -> int:
        """Bytes of what the last matrices of attention and feed-forward block read."""
        return compute * (self.attention.queries + self.feed_forward.ffn)

    def saved(self, compute: int, stream: Stream) -> int:
        """Bytes that one layer keeps for its backward pass, in eager autograd with fused attention.

        An element of the stream has the compute dtype's bytes where parameters are cast to it, 4 under autocast.
        """
        norms = self.norms * self.norm.saved(self.hidden, stream.element)
        if self.parallel:
            norms -= self.norm.own_copies * stream.element * self.hidden
        # A norm's output is kept once by the matrices that read it; autocast makes a copy for each.
        # Whole sequences: a rank gathers those that others hold parts of, and keeps what it gathered.
        inputs = compute * self.hidden * (self.attention.readers + self.feed_forward.readers if stream.element != compute else 2)
        return stream.share(norms) + inputs + self.attention.saved(compute) + self.feed_forward.saved(compute)

    def made(self, compute: int) -> int:
        """Bytes of what one layer's matrices make."""
        return self.attention.made(compute) + self.feed_forward.made(compute)

    def backward(self, compute: int, stream: Stream) -> int:
        """Bytes that a layer's backward pass needs at most beside what the layer kept: gradients inside it and of the stream."""
        return self.feed_forward.backward(compute) + compute * self.hidden + stream.bytes(self.hidden)

    def last_norm(self, compute: int, stream: Stream) -> int:
        """Bytes that the last norm keeps, and its output, which the head reads."""
        return stream.share(self.norm.saved(self.hidden, stream.element)) + compute * self.hidden

    def flops(self, sequence: int) -> int:
        """Operations, forward and backward, without recomputation and without credit for the causal mask.

        Six for each entry of a matrix (the embedding is a lookup), twelve for each query entry and position
        (Chowdhery et al. 2022, arXiv:2204.02311, appendix B).
        """
        matrices = self.layers * (self.attention.matrices + self.feed_forward.matrices) + self.vocab * self.hidden
        return 6 * matrices + 12 * self.layers * self.attention.queries * sequence
