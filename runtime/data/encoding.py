"""Documents as tokens, each with whether it is learnt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy
import tokenizers
from transformers import PreTrainedTokenizerFast

from .formats import Document

DOCUMENTS_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class Encoded:
    """`learnt[i]` says whether token i is a target; both (tokens)."""

    tokens: numpy.ndarray
    learnt: numpy.ndarray


def encoded(made: PreTrainedTokenizerFast, documents: Iterator[tuple[str, Document]]) -> Iterator[tuple[str, Encoded]]:
    """Documents with their places, in their order."""
    while group := list(islice(documents, DOCUMENTS_AT_ONCE)):
        # Documents of a corpus are of one format.
        begins = group[0][1].begins
        found = made.backend_tokenizer.encode_batch([document.text for _, document in group], add_special_tokens=begins)
        for (place, document), encoding in zip(group, found, strict=True):
            yield place, _encoded(made.eos_token_id, document, encoding)


def _encoded(end: int, document: Document, encoding: tokenizers.Encoding) -> Encoded:
    tokens, learnt = numpy.array(encoding.ids), _learnt(document, encoding)
    if not document.ends:
        return Encoded(tokens, learnt)
    if document.begins and len(tokens) and tokens[-1] == end:
        # Some tokenizers end texts as well as they begin them.
        tokens, learnt = tokens[:-1], learnt[:-1]
    closed = document.learnt is None or (bool(document.learnt) and document.learnt[-1][1] == len(document.text))
    return Encoded(numpy.append(tokens, end), numpy.append(learnt, closed))


def _learnt(document: Document, encoding: tokenizers.Encoding) -> numpy.ndarray:
    """A token that reaches back into what is not learnt is part of a prompt."""
    if document.learnt is None:
        return numpy.ones(len(encoding.ids), dtype=bool)
    starts, ends = (numpy.array(places, dtype=int) for places in zip(*encoding.offsets, strict=True)) if encoding.ids else ([], [])
    learnt = numpy.zeros(len(encoding.ids), dtype=bool)
    for first, last in document.learnt:
        learnt |= (starts >= first) & (ends <= last)
    return learnt
