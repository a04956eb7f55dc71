"""Attention whose keys and values come out of a narrow latent (DeepSeek-AI 2024, arXiv:2405.04434, section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .attention import Shape
from .matrices import Linears
from .norms import FLOAT32, RMS_NORM


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentAttention:
    """Keys and values of `kv_rank` numbers a token, widened for all heads; queries too, where `query_rank` says how many.

    A head of queries and keys has `plain` numbers without and `rotary` ones with a position, which all keys share; one of values
    has `value`. `bias` is on the first matrices and the output, as in transformers.
    """

    hidden: int
    heads: int
    query_rank: int | None
    kv_rank: int
    plain: int
    rotary: int
    value: int
    bias: bool = False

    @property
    def queries(self) -> int:
        """All query heads side by side."""
        return self.heads * (self.plain + self.rotary)

    @property
    def keys(self) -> int:
        """All key heads side by side."""
        return self.queries

    @property
    def values(self) -> int:
        """All value heads side by side."""
        return self.heads * self.value

    @property
    def outputs(self) -> int:
        """What the output matrix reads."""
        return self.values

    @property
    def readers(self) -> int:
        """Matrices that read the layer's normalised input."""
        return 2

    @property
    def _latent(self) -> int:
        """The latent, and the key of positions that all heads share."""
        return self.kv_rank + self.rotary

    @property
    def _widened(self) -> int:
        """Keys without positions, and values."""
        return self.heads * (self.plain + self.value)

    @property
    def _entries(self) -> tuple[int, ...]:
        narrow = (
            [self.hidden * self.queries]
            if self.query_rank is None
            else [self.hidden * self.query_rank, self.query_rank * self.queries]
        )
        return (*narrow, self.hidden * self._latent, self.kv_rank * self._widened, self.outputs * self.hidden)

    @property
    def matrices(self) -> int:
        """Entries of the matrices."""
        return sum(self._entries)

    @property
    def largest_matrix(self) -> int:
        """Entries of the largest matrix."""
        return max(self._entries)

    @property
    def parameters(self) -> int:
        """Matrices, biases and the norms of latents."""
        biases = (self.query_rank or 0) + self._latent + self.hidden if self.bias else 0
        return self.matrices + biases + sum(RMS_NORM.parameters(width) for width in self._normed)

    @property
    def _normed(self) -> tuple[int, ...]:
        return (self.kv_rank,) if self.query_rank is None else (self.query_rank, self.kv_rank)

    @property
    def linears(self) -> Linears:
        """None that adapters are known to fit."""
        return {}

    @property
    def shapes(self) -> Sequence[Shape]:
        """Its parameters, one by one; a matrix as (out, in)."""
        narrow = [(self.queries, self.hidden)]
        if self.query_rank is not None:
            narrow = [(self.query_rank, self.hidden), (self.queries, self.query_rank)]
        others = [(self._latent, self.hidden), (self._widened, self.kv_rank), (self.hidden, self.outputs)]
        widths = ((self.query_rank or 0), self._latent, self.hidden)
        biases = [(width,) for width in widths if width] if self.bias else []
        return [*narrow, *others, *biases, *((width,) for width in self._normed)]

    def made(self, compute: int) -> int:
        """Bytes of what the matrices make."""
        return compute * ((self.query_rank or 0) + self.queries + self._latent + self._widened + self.hidden)

    def fused(self, compute: int) -> int:
        """Bytes of what fused attention makes: its output, and the log-sum-exp of each head."""
        return compute * self.outputs + FLOAT32 * self.heads

    def saved(self, compute: int) -> int:
        """Bytes kept with fused attention.

        Latents before and behind their norms; queries, keys, the widened latent, of which values are a view; the output twice.
        """
        norms = sum(RMS_NORM.saved(width, compute) + compute * width for width in self._normed)
        # Without a cast the norm of the latent holds on to the key of positions, with which it came out of one matrix.
        shared = compute * self.rotary if compute == FLOAT32 else 0
        heads = compute * (self.queries + self.keys + self._widened)
        return norms + shared + heads + self.fused(compute) + self._copied(compute)

    def eager(self, compute: int, sequence: int) -> int:
        """Bytes kept beside where attention is not fused: the softmax in float32 and its copy; no log-sum-exp.

        Values are copied out of the widened latent, which is let go.
        """
        each = compute + (FLOAT32 if compute < FLOAT32 else 0)
        released = compute * self.heads * self.plain + self._copied(compute)
        return self.heads * sequence * each - FLOAT32 * self.heads - released

    def masked(self, compute: int, sequence: int, documents: bool) -> int:
        """Bytes kept beside where fused attention looks back to a document's start only: a mask as one bias for all heads."""
        return compute * sequence if documents else 0

    def _copied(self, compute: int) -> int:
        """A copy of the output in the matrix's order: queries are joined in another order in memory, which attention keeps."""
        return compute * self.outputs
