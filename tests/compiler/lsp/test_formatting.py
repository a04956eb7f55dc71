from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pygls")

from trainc.dsl.formatter import format_source
from trainc.dsl.source import Source

OPTIONS = {"tabSize": 8, "insertSpaces": False}
MESSY = "import std.gpus\n\n\n\ncluster here {\n      gpu=gpus.host\n  gpus_per_node   = 2 # two\n}\nlet a=1\n"


def formatted(document: Any) -> str:
    text: str = document.text
    for edit in document.ask("formatting", options=OPTIONS):
        lines = text.splitlines(keepends=True)
        start, end = (
            sum(map(len, lines[: place["line"]])) + place["character"] for place in (edit["range"]["start"], edit["range"]["end"])
        )
        text = text[:start] + edit["newText"] + text[end:]
    return text


@pytest.mark.parametrize("text", [MESSY, MESSY.replace("\n", "\r\n"), "let a=1", "\n\nlet a = 1\n"])
def test_a_document_takes_canonical_form(editor: Any, text: str) -> None:
    canonical = format_source(Source("a.train", text)).text
    assert canonical is not None
    assert formatted(editor.open("a.train", text)) == canonical


def test_canonical_form_needs_no_edit(editor: Any) -> None:
    canonical = format_source(Source("a.train", MESSY)).text
    assert editor.open("a.train", canonical).ask("formatting", options=OPTIONS) == []


def test_what_does_not_parse_is_left_alone(editor: Any) -> None:
    assert editor.open("a.train", "let a=\nlet  b=2").ask("formatting", options=OPTIONS) == []


def test_the_edit_is_no_larger_than_the_change(editor: Any) -> None:
    document = editor.open("a.train", "let a = 1\nlet b=2\nlet c = 3\n")
    (edit,) = document.ask("formatting", options=OPTIONS)
    assert (edit["range"]["start"]["line"], edit["range"]["end"]["line"]) == (1, 1)
