"""Attention of one decoder layer: its parameters, and bytes a token of what it makes and keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...spec import ArchitectureSpec
from .matrices import Linears
from .norms import FLOAT32, Norm

Shape = tuple[int, ...]


def head_dim(architecture: ArchitectureSpec) -> int:
    """The width of a head, derived where it is left out."""
    return architecture.head_dim or architecture.hidden // architecture.heads


def kv_heads(architecture: ArchitectureSpec) -> int:
    """Key and value heads; as many as query heads where they are left out."""
    return architecture.kv_heads or architecture.heads


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """Queries, keys, values and output; `joined` where one matrix makes the first three.

    `head_norm` is the norm over each query and key head; `double_softmax` says that attention which is not fused takes its
    softmax in float32 and casts it.
    """

    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    input_bias: bool = False
    output_bias: bool = False
    joined: bool = False
    rotary: bool = True
    head_norm: Norm | None = None
    window: int | None = None
    softcap: bool = False
    double_softmax: bool = True

    @property
    def queries(self) -> int:
        """All query heads side by side."""
        return self.heads * self.head_dim

    @property
    def keys(self) -> int:
        """All key heads side by side."""
        return self.kv_heads * self.head_dim

    @property
    def values(self) -> int:
        """All value heads side by side."""
        return self.keys

    @property
    def outputs(self) -> int:
        """What the output matrix reads: a head of the values' width for each query head."""
        return self.queries

    @property
    def readers(self) -> int:
        """Matrices that read the layer's normalised input."""
        return 1 if self.joined else 3

    @property
    def linears(self) -> Linears:
        """The matrices by short name."""
        first = {"q": self.queries, "k": self.keys, "v": self.keys}
        if self.joined:
            first = {"qkv": sum(first.values())}
        return {**{name: (self.hidden, width) for name, width in first.items()}, "o": (self.queries, self.hidden)}

    @property
    def matrices(self) -> int:
        """Entries of the matrices."""
        return self.hidden * (2 * self.queries + 2 * self.keys)

    @property
    def largest_matrix(self) -> int:
        """Entries of the largest matrix."""
        return self.hidden * (self.queries + 2 * self.keys if self.joined else self.queries)

    @property
    def parameters(self) -> int:
        """Matrices, biases and the norms of heads."""
        biases = self.input_bias * (self.queries + 2 * self.keys) + self.output_bias * self.hidden
        return self.matrices + biases + (2 * self.head_norm.parameters(self.head_dim) if self.head_norm else 0)

    @property
    def shapes(self) -> Sequence[Shape]:
        """Its parameters, one by one; a matrix as (out, in)."""
        widths = (self.queries, self.keys, self.keys)
        outputs = [(sum(widths),)] if self.joined else [(width,) for width in widths]
        biases = [*outputs * self.input_bias, *[(self.hidden,)] * self.output_bias]
        norms = [(self.head_dim,)] * 2 * self.head_norm.vectors if self.head_norm else []
        return [*((*width, self.hidden) for width in outputs), (self.hidden, self.queries), *biases, *norms]

    def made(self, compute: int) -> int:
        """Bytes of what the matrices make."""
        return compute * (self.queries + 2 * self.keys + self.hidden)

    def fused(self, compute: int) -> int:
        """Bytes of what fused attention makes: its output, and the log-sum-exp of each head."""
        return compute * self.queries + FLOAT32 * self.heads

    def saved(self, compute: int) -> int:
        """Bytes kept with fused attention, which keeps no scores (Dao et al. 2022, arXiv:2205.14135).

        Queries, keys, values, its output (which the output matrix reads) and the log-sum-exp of each head. The rotation keeps
        cosines and sines, which all layers share.
        """
        kept = compute * (self.queries + 2 * self.keys) + self.fused(compute) + self._held(compute)
        if self.head_norm:
            # One norm a head: a statistic each, not one for all.
            kept += self.heads * self.head_norm.saved(self.head_dim, compute)
            kept += self.kv_heads * self.head_norm.saved(self.head_dim, compute)
        return kept

    def eager(self, compute: int, sequence: int) -> int:
        """Bytes kept beside where attention is not fused.

        The softmax in float32 and its copy in a smaller compute dtype, for each head and position; keys and values repeated for
        their queries; no log-sum-exp. Joined values are copied out, and hold on to nothing.
        """
        each = compute + (FLOAT32 if self.double_softmax and compute < FLOAT32 else 0) + (compute if self.softcap else 0)
        scores = self.heads * sequence * each
        return scores + 2 * compute * (self.queries - self.keys) - FLOAT32 * self.heads - self._held(compute)

    def masked(self, compute: int, sequence: int, documents: bool) -> int:
        """Bytes kept beside where fused attention looks back a window only, and a sequence is as long, or to a document's start.

        That is a mask, which fused attention keeps as one bias for all heads; with a mask transformers repeats keys and values
        for their queries.
        """
        if not documents and (self.window is None or sequence < self.window):
            return 0
        return compute * sequence + 2 * compute * (self.queries - self.keys)

    def _held(self, compute: int) -> int:
        """Bytes that joined values hold on to: queries and keys as they were, and a copy of the output in the matrix's order.

        The rotation of joined queries makes new ones, in another order in memory, which fused attention gives its output too.
        """
        return compute * (2 * self.queries + self.keys) if self.joined and self.rotary else 0
