"""Documents that are never cut: how they are put into samples, and what of them is learnt."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trainc.runtime.data import IGNORED
from trainc.runtime.data.broken import Broken
from trainc.runtime.data.encoding import Encoded
from trainc.runtime.data.packing import WholeDocuments, best_fit
from trainc.runtime.data.writing import Writer
from trainc.runtime.errors import StageError

PAD = 0
PROMPT_AND_ANSWER = [([5, 6, 7, 8], [0, 0, 1, 1]), ([9, 10, 11], [0, 1, 1]), ([12, 13], [1, 1])]


def writer(stem: Path, sequence: int, overlong: str = "stop", broken: str = "stop") -> Writer:
    data = SimpleNamespace(sequence=sequence, overlong=overlong)
    reader: Any = SimpleNamespace(data=data, format=SimpleNamespace(whole=True), broken=Broken(broken))
    return Writer(stem, "uint16", reader)


def written(stem: Path, documents: list[tuple[list[int], list[int]]], sequence: int, **policy: str) -> Writer:
    made = writer(stem, sequence, **policy)
    found = (Encoded(numpy.array(ids), numpy.array(learnt, bool)) for ids, learnt in documents)
    made.write((f"row {number}", document) for number, document in enumerate(found, start=1))
    return made


def test_a_document_is_a_sample(tmp_path: Path) -> None:
    written(tmp_path / "train", PROMPT_AND_ANSWER, sequence=5)
    samples = WholeDocuments(tmp_path / "train", "uint16", 5, PAD, packed=False)
    assert len(samples) == 3
    inputs, targets = samples[0]
    assert inputs.tolist() == [5, 6, 7, PAD, PAD]
    assert targets.tolist() == [IGNORED, 7, 8, IGNORED, IGNORED]


def test_packed_documents_fill_samples_and_are_apart(tmp_path: Path) -> None:
    written(tmp_path / "train", PROMPT_AND_ANSWER, sequence=5)
    samples = WholeDocuments(tmp_path / "train", "uint16", 5, PAD, packed=True)
    assert len(samples) == 2
    inputs, targets, positions = samples[0]
    assert inputs.tolist() == [5, 6, 7, 9, 10]
    assert targets.tolist() == [IGNORED, 7, 8, 10, 11]
    assert positions.tolist() == [0, 1, 2, 0, 1]
    inputs, targets, positions = samples[1]
    assert (inputs.tolist(), targets.tolist(), positions.tolist()) == ([12, 0, 0, 0, 0], [13, *[IGNORED] * 4], [0, 0, 1, 2, 3])
    assert samples.utilisation == pytest.approx(0.6)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=60))
def test_best_fit_puts_every_document_somewhere_and_overfills_nothing(lengths: list[int]) -> None:
    samples = best_fit(numpy.array(lengths), 20)
    assert sorted(document for sample in samples for document in sample) == list(range(len(lengths)))
    filled = [sum(lengths[document] for document in sample) for sample in samples]
    assert max(filled) <= 20
    # No two samples could be one: best fit leaves at most one that is half empty.
    assert sum(fill <= 10 for fill in filled) <= 1


def test_best_fit_chooses_the_fullest_sample_with_room() -> None:
    # First fit would put the 2 beside the 6.
    assert best_fit(numpy.array([6, 7, 2]), 9) == [[1, 2], [0]]


def test_a_document_longer_than_a_sample_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(StageError, match=r"row 1 makes 4 tokens, a sample of 2 takes 3: .*`overlong = skip` or `truncate`"):
        written(tmp_path / "train", PROMPT_AND_ANSWER, sequence=2)


def test_a_document_longer_than_a_sample_is_left_out(tmp_path: Path) -> None:
    made = written(tmp_path / "train", PROMPT_AND_ANSWER, sequence=2, overlong="skip")
    assert made.counts == {"documents": 2, "tokens": 5, "learnt": 3, "overlong": 1}
    assert len(WholeDocuments(tmp_path / "train", "uint16", 2, PAD, packed=False)) == 2


def test_a_document_longer_than_a_sample_loses_its_end(tmp_path: Path) -> None:
    made = written(tmp_path / "train", PROMPT_AND_ANSWER, sequence=2, overlong="truncate")
    assert made.counts == {"documents": 3, "tokens": 8, "learnt": 4, "overlong": 1}


def test_nothing_left_to_learn_ends_the_run(tmp_path: Path) -> None:
    documents = [([5, 6, 7, 8], [0, 0, 0, 1])]
    with pytest.raises(StageError, match="row 1 has nothing to learn within 3 tokens"):
        written(tmp_path / "train", documents, sequence=2, overlong="truncate")
    made = written(tmp_path / "train", [*documents, *PROMPT_AND_ANSWER], sequence=2, overlong="truncate", broken="skip")
    assert made.counts["documents"] == 3
