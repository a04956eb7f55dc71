"""Normalisations, as transformers computes them: their parameters, and what one keeps for its backward pass."""

from __future__ import annotations

from dataclasses import dataclass, replace

# Norms and the softmax statistics of attention are computed in float32 whatever the compute dtype is.
FLOAT32 = 4


@dataclass(frozen=True, slots=True)
class Norm:
    """A norm over some entries: vectors it learns, copies it keeps in float32 and in its input's dtype, numbers a token beside.

    `learns_float32` and `learns_own` of the copies serve the gradients of the vectors only.
    """

    vectors: int
    float32_copies: int
    own_copies: int
    statistics: int
    learns_float32: int = 0
    learns_own: int = 0

    def parameters(self, width: int) -> int:
        """The learned vectors' entries."""
        return self.vectors * width

    def saved(self, width: int, own_bytes: int) -> int:
        """Bytes a token for a norm of that width, whose input has elements of `own_bytes`."""
        return width * (FLOAT32 * self.float32_copies + own_bytes * self.own_copies) + FLOAT32 * self.statistics

    @property
    def frozen(self) -> Norm:
        """The norm where its vectors do not train."""
        return replace(self, float32_copies=self.float32_copies - self.learns_float32, own_copies=self.own_copies - self.learns_own)


# Its input in float32, the normalised input in its own dtype, and 1 / rms (Zhang and Sennrich 2019, arXiv:1910.07467).
RMS_NORM = Norm(vectors=1, float32_copies=1, own_copies=1, statistics=1, learns_own=1)
# Gemma's scales before it casts back: the normalised input stays in float32 too.
FLOAT32_RMS_NORM = Norm(vectors=1, float32_copies=2, own_copies=0, statistics=1, learns_float32=1)
# One operation of torch: its input as it is, the mean and 1 / standard deviation (Ba et al. 2016, arXiv:1607.06450).
LAYER_NORM = Norm(vectors=2, float32_copies=0, own_copies=1, statistics=2)
