"""A feed-forward block of experts, of which a router picks some for each token (Shazeer et al. 2017, arXiv:1701.06538)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .attention import Shape
from .feed_forward import FeedForward
from .matrices import Linears
from .norms import FLOAT32

# What sorts tokens by expert are 64-bit integers.
_INDEX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts:
    """Gated experts of equal width, each kind of matrix in one tensor: gate and up joined, down.

    Tokens are sorted by expert and pass grouped matrix multiplications, as transformers 5 computes them; autocast does not reach
    those, and TRN614 refuses it. `shared` is a block that every token passes beside (Dai et al. 2024, arXiv:2401.06066);
    `sigmoid` says that the router works in float32 throughout and scores each expert by itself.
    """

    hidden: int
    ffn: int
    count: int
    per_token: int
    shared: FeedForward | None = None
    sigmoid: bool = False

    @property
    def readers(self) -> int:
        """Matrices that read the block's normalised input: the router, those of shared experts; others read sorted copies."""
        return 1 + (self.shared.readers if self.shared else 0)

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
        """Entries of the matrices that a token passes: the router, its own experts and shared ones."""
        return self.router + self.per_token * self.expert + self._beside

    @property
    def largest_matrix(self) -> int:
        """Entries of the tensor that holds gate and up of all experts."""
        return 2 * self.count * self.hidden * self.ffn

    @property
    def parameters(self) -> int:
        """The router and all experts."""
        return self.router + self.count * self.expert + self._beside

    @property
    def parts(self) -> dict[str, int]:
        """Parameters of one layer by part."""
        shared = {"shared_experts": self._beside} if self.shared else {}
        return {"router": self.router, "experts": self.count * self.expert, **shared}

    @property
    def _beside(self) -> int:
        return self.shared.parameters if self.shared else 0

    @property
    def shapes(self) -> Mapping[str, Sequence[Shape]]:
        """Its parameters by part, one by one; a matrix as (out, in)."""
        joined, down = (self.count, 2 * self.ffn, self.hidden), (self.count, self.hidden, self.ffn)
        shared = {"shared_experts": self.shared.shapes["feed_forward"]} if self.shared else {}
        return {"router": [(self.count, self.hidden)], "experts": [joined, down], **shared}

    def made(self, compute: int) -> int:
        """Bytes of what the router and the experts' matrices make."""
        router = self.count * (FLOAT32 if self.sigmoid else compute)
        return router + compute * self.per_token * (2 * self.ffn + self.hidden) + (self.shared.made(compute) if self.shared else 0)

    def saved(self, compute: int) -> int:
        """Bytes kept, which a token's experts multiply.

        A sorted copy of the input, gate and up, the activation, the product and the output; the order of tokens. What shared
        experts keep, the block's input being there already.
        """
        experts = compute * self.per_token * (2 * self.hidden + 4 * self.ffn + 1) + 4 * _INDEX * self.per_token
        return experts + self._routing(compute) + (self.shared.saved(compute) if self.shared else 0)

    def _routing(self, compute: int) -> int:
        """Bytes that the router keeps: its probabilities, the picked ones and their sum, all in float32.

        One that works in float32 has a copy of its input, and casts what it picked.
        """
        kept = FLOAT32 * (self.count + self.per_token + 1)
        return kept + FLOAT32 * self.hidden + compute * self.per_token if self.sigmoid and compute < FLOAT32 else kept

    def unread(self, compute: int) -> int:
        """Grouped matrix multiplications keep what they read, whether or not the experts train."""
        return 0

    def backward(self, compute: int) -> int:
        """Bytes of gradients inside the block: those of gate and up, or of what experts add up to.

        The latter are three copies of a token's rows, in the dtype of the weights that the router gives them: the gradient, in
        order and sorted, and its product with a weight. Shared experts have let go by then of what they kept.
        """
        weighted = FLOAT32 if self.sigmoid else compute
        rows = 3 * weighted * self.per_token * self.hidden - (self.shared.saved(compute) if self.shared else 0)
        return max(2 * compute * self.per_token * self.ffn, rows)
