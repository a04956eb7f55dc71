"""Decides which documents are held out of training, by what they say and nothing else."""

from __future__ import annotations

from hashlib import blake2b

from ..errors import StageError

DIGEST_BYTES = 16


def digest(text: str) -> bytes:
    """A document's identity."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).digest()


def held_out(digests: list[bytes], share: float) -> frozenset[bytes]:
    """The documents with the smallest digests: `share` of them all, and at least one when `share` is above 0.

    Copies of a document share a digest and so stay together.
    """
    if share <= 0:
        return frozenset()
    distinct = sorted(set(digests))
    count = max(1, round(share * len(distinct)))
    if count >= len(distinct):
        raise StageError(
            f"holding out {share:.0%} of {len(distinct)} different documents leaves none to train on: "
            "split the data into more documents, or name an evaluation source"
        )
    return frozenset(distinct[:count])
