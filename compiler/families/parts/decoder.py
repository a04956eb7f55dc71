"""A decoder put together from its parts: parameters, bytes a token, operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from .attention import Attention, Shape
from .experts import Experts
from .feed_forward import FeedForward
from .latent import LatentAttention
from .matrices import Linears
from .norms import Norm
from .stream import Stream

# The matrices of a layer that do not read its normalised states.
LAST = ("o", "down")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """Layers between an embedding and a head, equal but for their feed-forward blocks: the `leading` first ones have `dense` ones.

    What is said of one layer is said of the last. `norms` counts those of one layer over the residual stream, of which two feed
    matrices; `parallel` ones read the same state of it. `positions` are learned ones; `logit_softcap` keeps a second copy of the
    logits. `transposed` layers store their matrices as (in, out).
    """

    layers: int
    hidden: int
    vocab: int
    tied: bool
    attention: Attention | LatentAttention
    feed_forward: FeedForward | Experts
    norm: Norm
    norms: int = 2
    parallel: bool = False
    positions: int = 0
    logit_softcap: bool = False
    transposed: bool = False
    leading: int = 0
    dense: FeedForward | None = None

    @property
    def _blocks(self) -> tuple[tuple[int, FeedForward | Experts], ...]:
        """How many layers have which feed-forward block, in their order."""
        if self.dense is None:
            return ((self.layers, self.feed_forward),)
        leading = min(self.leading, self.layers)
        return (leading, self.dense), (self.layers - leading, self.feed_forward)

    @property
    def _block(self) -> FeedForward | Experts:
        """The last layer's."""
        return self.dense if self.dense is not None and self.leading >= self.layers else self.feed_forward

    @property
    def parameters(self) -> Mapping[str, int]:
        """Parameters by part; a tied output matrix is the embedding and counts there."""
        matrix = self.vocab * self.hidden
        return {
            "embedding": matrix,
            **({"positions": self.positions * self.hidden} if self.positions else {}),
            "attention": self.layers * self.attention.parameters,
            **{name: layers * count for layers, block in self._blocks if layers for name, count in block.parts.items()},
            # Those of the layers and the last one.
            "norms": (self.norms * self.layers + 1) * self.norm.parameters(self.hidden),
            "head": 0 if self.tied else matrix,
        }

    @property
    def shapes(self) -> Mapping[str, Sequence[Shape]]:
        """The parameters of `parameters` one by one; a matrix as its framework stores it."""
        layers = defaultdict[str, list[Shape]](list)
        for count, block in self._blocks:
            for part, shapes in {"attention": self.attention.shapes, **block.shapes}.items():
                layers[part] += [self._stored(shape) for shape in shapes] * count
        matrix = (self.vocab, self.hidden)
        return {
            "embedding": [matrix],
            **({"positions": [(self.positions, self.hidden)]} if self.positions else {}),
            **layers,
            "norms": [(self.hidden,)] * self.norm.vectors * (self.norms * self.layers + 1),
            "head": [] if self.tied else [matrix],
        }

    def _stored(self, shape: Shape) -> Shape:
        return shape[::-1] if self.transposed else shape

    @property
    def layer_parameters(self) -> int:
        """Parameters of one decoder layer."""
        return self._beside_block + self._block.parameters

    @property
    def layers_parameters(self) -> int:
        """Parameters of all layers."""
        return self.layers * self._beside_block + sum(layers * block.parameters for layers, block in self._blocks)

    @property
    def _beside_block(self) -> int:
        return self.attention.parameters + self.norms * self.norm.parameters(self.hidden)

    @property
    def linears(self) -> Linears:
        """The matrices of one layer by short name."""
        return self.attention.linears | self.feed_forward.linears

    @property
    def largest_matrix(self) -> int:
        """Entries of the largest matrix of any layer."""
        return max(self.attention.largest_matrix, *(block.largest_matrix for layers, block in self._blocks if layers))

    @property
    def gathers(self) -> bool:
        """Whether tensor parallelism gathers what the first matrices make: a slice of joined gate and up is no slice of each."""
        return isinstance(self.feed_forward, FeedForward) and self.feed_forward.joined

    def frozen(self) -> Decoder:
        """The decoder where only adapters train: its norms keep nothing for vectors of their own."""
        attention = self.attention
        if isinstance(attention, Attention) and attention.head_norm:
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
        return compute * (self.attention.outputs + self._block.ffn)

    def saved(self, compute: int, stream: Stream) -> int:
        """Bytes that one layer keeps for its backward pass, in eager autograd with fused attention.

        An element of the stream has the compute dtype's bytes where parameters are cast to it, 4 under autocast.
        """
        norms = self.norms * self.norm.saved(self.hidden, stream.element)
        if self.parallel:
            norms -= self.norm.own_copies * stream.element * self.hidden
        # A norm's output is kept once by the matrices that read it; autocast makes a copy for each.
        # Whole sequences: a rank gathers those that others hold parts of, and keeps what it gathered.
        inputs = compute * self.hidden * (self.attention.readers + self._block.readers if stream.element != compute else 2)
        return stream.share(norms) + inputs + self.attention.saved(compute) + self._block.saved(compute)

    def made(self, compute: int) -> int:
        """Bytes of what one layer's matrices make."""
        return self.attention.made(compute) + self._block.made(compute)

    def backward(self, compute: int, stream: Stream) -> int:
        """Bytes that a layer's backward pass needs at most beside what the layer kept: gradients inside it and of the stream."""
        return self._block.backward(compute) + compute * self.hidden + stream.bytes(self.hidden)

    def last_norm(self, compute: int, stream: Stream) -> int:
        """Bytes that the last norm keeps, and its output, which the head reads."""
        return stream.share(self.norm.saved(self.hidden, stream.element)) + compute * self.hidden

    def flops(self, sequence: int) -> int:
        """Operations, forward and backward, without recomputation and without credit for the causal mask.

        Six for each entry of a matrix (the embedding is a lookup), and for each position six for each query entry and six for
        each output's: twelve where they are as many (Chowdhery et al. 2022, arXiv:2204.02311, appendix B).
        """
        blocks = sum(layers * block.matrices for layers, block in self._blocks)
        matrices = self.layers * self.attention.matrices + blocks + self.vocab * self.hidden
        return 6 * matrices + 6 * self.layers * (self.attention.queries + self.attention.outputs) * sequence
