"""The feed-forward block of one decoder layer: its parameters, and bytes a token of what it makes and keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .attention import Shape
from .matrices import Linears


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForward:
    """Two matrices, or three where a gate multiplies (Shazeer 2020, arXiv:2002.05202); `joined` where one makes gate and up."""

    hidden: int
    ffn: int
    gated: bool = True
    joined: bool = False
    bias: bool = False
    activation: str = "silu"

    @property
    def readers(self) -> int:
        """Matrices that read the block's normalised input."""
        return 2 if self.gated and not self.joined else 1

    @property
    def linears(self) -> Linears:
        """The matrices by short name."""
        joined = {"gate_up": (self.hidden, 2 * self.ffn)}
        apart = {name: (self.hidden, self.ffn) for name in ("gate", "up") if self.gated or name == "up"}
        return {**(joined if self.joined else apart), "down": (self.ffn, self.hidden)}

    @property
    def matrices(self) -> int:
        """Entries of the matrices that a token passes: gate, up and down, or the first and the second."""
        return (3 if self.gated else 2) * self.hidden * self.ffn

    @property
    def largest_matrix(self) -> int:
        """Entries of the largest matrix."""
        return (2 if self.joined else 1) * self.hidden * self.ffn

    @property
    def parameters(self) -> int:
        """Matrices and biases."""
        return self.matrices + self.bias * (self.ffn + self.hidden)

    @property
    def parts(self) -> dict[str, int]:
        """Parameters of one layer by part."""
        return {"feed_forward": self.parameters}

    @property
    def shapes(self) -> Mapping[str, Sequence[Shape]]:
        """Its parameters by part, one by one; a matrix as (out, in)."""
        wide = [(2 * self.ffn,)] if self.joined else [(self.ffn,)] * (2 if self.gated else 1)
        biases = [*wide, (self.hidden,)] if self.bias else []
        return {"feed_forward": [*((*width, self.hidden) for width in wide), (self.hidden, self.ffn), *biases]}

    def made(self, compute: int) -> int:
        """Bytes of what the matrices make."""
        return compute * ((2 if self.gated else 1) * self.ffn + self.hidden)

    def saved(self, compute: int) -> int:
        """Bytes kept: what enters the activation and what leaves it; with a gate also `up` and the product.

        A GELU of single operations keeps x / 2, tanh and 1 + tanh beside.
        """
        copies = (4 if self.gated else 2) + (3 if self.activation == "gelu_new" else 0)
        return copies * compute * self.ffn

    def unread(self, compute: int) -> int:
        """Bytes of them that the gradient of the last matrix alone needs."""
        return compute * self.ffn

    def backward(self, compute: int) -> int:
        """Bytes of gradients inside the block, when what the last matrix read is gone.

        Those of gate, up and their product; without a gate those of the activation's input and output.
        """
        return (2 if self.gated else 1) * compute * self.ffn
