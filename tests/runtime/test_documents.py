from __future__ import annotations

import json
from pathlib import Path

import pytest
from trainc.runtime.data import split, tokenizer
from trainc.runtime.data.broken import Broken
from trainc.runtime.data.formats import text as texts
from trainc.runtime.data.sources import Row, rows
from trainc.runtime.errors import StageError
from trainc.runtime.planfile import RunSource, RunTokenizer

ROWS = RunSource("jsonl", "rows.jsonl", "text")


def documents(source: RunSource, root: Path, broken: str = "stop") -> list[str]:
    """What the rows of a source say."""
    policy = Broken(broken)

    def said(row: Row) -> str | None:
        return policy.attempt(row.place, lambda: texts.read(row.values, {"text": source.column or "text"}))

    return [text for row in rows(source, root, policy) if (text := said(row)) is not None]


def write_rows(root: Path, *rows: object) -> None:
    (root / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_standard_library_is_read_in_the_same_order_each_time() -> None:
    source = RunSource("python_stdlib", None, None)
    first, second = ([split.digest(text) for text in documents(source, Path())] for _ in range(2))
    assert first == second
    assert len(first) > 400


def test_text_files_are_documents_in_order_of_name(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.txt").write_text(name)
    assert documents(RunSource("text", "*.txt", None), tmp_path) == ["a", "b", "c"]


def test_no_matching_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StageError, match=r"no file matches `nothing/\*.txt` below"):
        documents(RunSource("text", "nothing/*.txt", None), tmp_path)


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_bytes(b"caf\xe9")
    with pytest.raises(StageError, match=r"old\.txt is not UTF-8: byte 3 is 0xe9"):
        documents(RunSource("text", "*.txt", None), tmp_path)


def test_rows_are_documents(tmp_path: Path) -> None:
    write_rows(tmp_path, {"text": "one"}, {"text": ""}, {"text": "two", "more": 1})
    assert documents(ROWS, tmp_path) == ["one", "two"]


def test_a_missing_column_names_file_and_line(tmp_path: Path) -> None:
    write_rows(tmp_path, {"text": "one"}, {"body": "two"})
    with pytest.raises(StageError, match=r"rows\.jsonl line 2 has no column `text`: it has `body`"):
        documents(ROWS, tmp_path)


def test_a_broken_row_names_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "one"}\n{"text": \n')
    with pytest.raises(StageError, match=r"rows\.jsonl line 2 is not JSON"):
        documents(ROWS, tmp_path)


def test_a_column_without_text_shows_what_it_holds(tmp_path: Path) -> None:
    write_rows(tmp_path, {"text": 5})
    with pytest.raises(StageError, match="column `text` holds 5, not text"):
        documents(ROWS, tmp_path)


def test_rows_of_columnar_files_are_documents(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"text": ["one", "two"], "more": [1, 2]}), tmp_path / "rows.parquet")
    assert documents(RunSource("parquet", "*.parquet", "text"), tmp_path) == ["one", "two"]
    (tmp_path / "rows.parquet").write_text("nothing of the kind")
    with pytest.raises(StageError, match=r"cannot read .*rows\.parquet"):
        documents(RunSource("parquet", "*.parquet", "text"), tmp_path)


def test_the_split_is_by_content_and_keeps_copies_together() -> None:
    digests = [split.digest(f"document {number % 50}") for number in range(100)]
    held = split.held_out(digests, 0.1)
    assert len(held) == 5
    assert held == split.held_out(digests[::-1], 0.1)


def test_a_small_share_of_few_documents_holds_out_one() -> None:
    assert len(split.held_out([split.digest(text) for text in "abc"], 0.01)) == 1


def test_nothing_left_to_train_on_is_refused() -> None:
    with pytest.raises(StageError, match="leaves none to train on"):
        split.held_out([split.digest("only")], 0.5)


def test_the_tokenizer_writes_any_text_back() -> None:
    made = tokenizer.train(RunTokenizer("bpe", 300, None), iter(["some words, some more words"] * 3))
    text = "never seen: caf\u00e9 \U0001f600\n\tok"
    assert made.decode(made.encode(text)) == text
    assert made.eos_token_id == 0


def test_a_vocabulary_smaller_than_the_bytes_is_refused() -> None:
    with pytest.raises(StageError, match="needs 257 entries"):
        tokenizer.train(RunTokenizer("bpe", 256, None), iter(["a"]))
