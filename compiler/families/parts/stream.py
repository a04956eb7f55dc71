"""The residual stream, which the layers of a model read and add to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stream:
    """Bytes of an element, and the ranks over which sequence parallelism splits what stands between the matrices."""

    element: int
    ranks: int = 1

    def share(self, whole: int) -> int:
        """A rank's part of bytes a token of the stream, or of the norms over it."""
        return -(-whole // self.ranks)

    def bytes(self, hidden: int) -> int:
        """Bytes a token that a rank has of one state of the stream."""
        return self.share(self.element * hidden)
