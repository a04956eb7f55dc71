"""Writes encoded documents into token files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy

from ..errors import StageError
from .encoding import Encoded
from .reader import Reader

TOKENS, LEARNT, STARTS = ".bin", ".learnt", ".starts"


class Writer:
    """Writes `NAME.bin`: tokens; of documents that are never cut also `NAME.learnt`, a byte a token that says whether it is
    learnt, and `NAME.starts`: where documents start, and the end.
    """

    def __init__(self, stem: Path, dtype: str, reader: Reader) -> None:
        self._stem, self._dtype, self._reader = stem, dtype, reader
        self.counts: Counter[str] = Counter(documents=0, tokens=0, learnt=0)

    def write(self, documents: Iterator[tuple[str, Encoded]]) -> None:
        """Writes documents, to the disk."""
        whole = self._reader.format.whole
        with ExitStack() as stack:
            names = (TOKENS, LEARNT, STARTS) if whole else (TOKENS,)
            streams = [stack.enter_context(self._stem.with_suffix(name).open("wb")) for name in names]
            for place, document in documents:
                kept = self._fitting(place, document) if whole else document
                if kept is not None:
                    self._append(kept, streams)
            if whole:
                _put(numpy.int64(self.counts["tokens"]), streams[-1])
            for stream in streams:
                stream.flush()
                os.fsync(stream.fileno())

    def _append(self, document: Encoded, streams: list[IO[bytes]]) -> None:
        parts = (document.tokens.astype(self._dtype), document.learnt, numpy.int64(self.counts["tokens"]))
        for part, stream in zip(parts, streams, strict=False):
            _put(part, stream)
        self.counts.update(documents=1, tokens=len(document.tokens), learnt=int(document.learnt[1:].sum()))

    def _fitting(self, place: str, document: Encoded) -> Encoded | None:
        """What of a document fits into a sample and has something to learn."""
        data, broken = self._reader.data, self._reader.broken
        room = data.sequence + 1
        if len(document.tokens) > room:
            if data.overlong == "stop":
                raise StageError(
                    f"{place} makes {len(document.tokens)} tokens, a sample of {data.sequence} takes {room}: "
                    "make `sequence` longer, or say what becomes of such rows with `overlong = skip` or `truncate`"
                )
            self.counts["overlong"] += 1
            if data.overlong == "skip":
                return None
            document = Encoded(document.tokens[:room], document.learnt[:room])
        # The first token of a document is nobody's target.
        if not document.learnt[1:].any():
            broken.met(f"{place} has nothing to learn within {len(document.tokens)} tokens", place)
            return None
        return document


def _put(part: numpy.ndarray | numpy.generic, stream: IO[bytes]) -> None:
    stream.write(part.tobytes())
