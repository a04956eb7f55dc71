"""A feed-forward block of experts, of which a router picks some for each token (Shazeer et al. 2017, arXiv:1701.06538)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .attention import Shape
from .matrices import Linears
from .norms import FLOAT32

# What sorts tokens by expert are 64-bit integers.
_INDEX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts:
    """Gated experts of equal width, each kind of matrix in one tensor: gate and up joined, down.

    Tokens are sorted by expert and pass grouped matrix multiplications, as transformers 5 computes them; autocast does not reach
    those, and TRN614 refuses it.
    """

    hidden: int
    ffn: int
    count: int
    per_token: int

    @property
    def readers(self) -> int:
        """Matrices that read the block's normalised input: the router; experts read sorted copies."""
        return 1

    @property
    def router(self) -> int:
        """Entries of the router's matrix."""
        return self.count * self.hidden

    @property
    def expert(self) -> int:
        """Parameters of one expert."""
        return 3 * self.hidden * self.ffn

    @property
    def linears(self) -> Linears:
        """None: all experts' matrices are one parameter, which no adapter of a matrix fits."""
        return {}

    @property
    def matrices(self) -> int:
        """Entries of the matrices that a token passes: the router and its own experts."""
        return self.router + self.per_token * self.expert

    @property
    def largest_matrix(self) -> int:
        """Entries of the tensor that holds gate and up of all experts."""
        return 2 * self.count * self.hidden * self.ffn

    @property
    def parameters(self) -> int:
        """The router and all experts."""
        return self.router + self.count * self.expert

    @property
    def parts(self) -> dict[str, int]:
        """Parameters of one layer by part."""
        return {"router": self.router, "experts": self.count * self.expert}

    @property
    def shapes(self) -> Mapping[str, Sequence[Shape]]:
        """Its parameters by part, one by one; a matrix as (out, in)."""
        joined, down = (self.count, 2 * self.ffn, self.hidden), (self.count, self.hidden, self.ffn)
        return {"router": [(self.count, self.hidden)], "experts": [joined, down]}

    def made(self, compute: int) -> int:
        """Bytes of what the router and the experts' matrices make."""
        return compute * (self.count + self.per_token * (2 * self.ffn + self.hidden))

    def saved(self, compute: int) -> int:
        """Bytes kept, which a token's experts multiply.

        A sorted copy of the input, gate and up, the activation, the product and the output. The router keeps its probabilities
        and the picked ones in float32, their sum, and the order of tokens.
        """
        experts = compute * self.per_token * (2 * self.hidden + 4 * self.ffn + 1)
        return experts + FLOAT32 * (self.count + self.per_token + 1) + 4 * _INDEX * self.per_token

    def unread(self, compute: int) -> int:
        """Grouped matrix multiplications keep what they read, whether or not the experts train."""
        return 0

    def backward(self, compute: int) -> int:
        """Bytes of gradients inside the block."""
        return 2 * compute * self.per_token * self.ffn
