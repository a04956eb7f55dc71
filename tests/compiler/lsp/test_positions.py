"""Positions count code units of the encoding that was agreed on, and lines end as the protocol says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygls")

from lsprotocol import types
from trainc.compiler.lsp.positions import Encoding, Lines

ENCODINGS = [Encoding.Utf8, Encoding.Utf16, Encoding.Utf32]


@pytest.mark.parametrize(("encoding", "character"), [(Encoding.Utf8, 10), (Encoding.Utf16, 4), (Encoding.Utf32, 3)])
def test_an_offset_after_an_emoji_and_cjk(encoding: str, character: int) -> None:
    lines = Lines("a\n🚀訓練x", encoding)
    assert lines.position(2 + 3) == types.Position(1, character)
    assert lines.offset(types.Position(1, character)) == 5


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=st.text(alphabet="aé訓🚀\r\n\u2028", max_size=30))
def test_every_offset_comes_back_from_its_position(encoding: str, text: str) -> None:
    lines = Lines(text, encoding)
    for offset in range(len(text) + 1):
        inside_line_end = 0 < offset < len(text) and text[offset - 1 : offset + 1] == "\r\n"
        if not inside_line_end:
            assert lines.offset(lines.position(offset)) == offset


def test_a_position_past_the_end_of_a_line_is_its_end() -> None:
    assert Lines("ab\r\ncd").offset(types.Position(0, 99)) == 2
    assert Lines("ab\r\ncd").offset(types.Position(9, 0)) == 6


def test_half_an_emoji_is_before_it() -> None:
    assert Lines("🚀x").offset(types.Position(0, 1)) == 0


TEXT = 'let s = "🚀訓練" + nowhere\r\nlet t = "🚀" + there\r\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_findings_and_requests_use_the_encoding_that_the_client_prefers(start: Callable[..., Any], encoding: str) -> None:
    editor = start({"general": {"positionEncodings": [encoding]}})
    assert editor.capabilities["positionEncoding"] == encoding
    document = editor.open("a.train", TEXT)
    width = {"utf-8": len('let s = "🚀訓練" + '.encode()), "utf-16": 17, "utf-32": 16}[encoding]
    first, second = document.findings()
    assert first["range"]["start"] == {"line": 0, "character": width}
    assert first["range"]["end"] == {"line": 0, "character": width + 7}
    assert second["range"]["start"]["line"] == 1
    document.change("let 訓 = 1\n".replace("訓", "there") + TEXT)
    hover = document.ask("hover", {"line": 2, "character": second["range"]["start"]["character"] + 1})
    assert "let there = 1" in hover["contents"]["value"]


def test_utf_16_is_spoken_where_nothing_is_offered(start: Callable[..., Any]) -> None:
    editor = start()
    assert editor.capabilities["positionEncoding"] == "utf-16"
    (first, _) = editor.open("a.train", TEXT).findings()
    assert first["range"]["start"] == {"line": 0, "character": 17}


def test_a_line_separator_of_unicode_does_not_end_a_line(editor: Any) -> None:
    document = editor.open("a.train", "# one\u2028still one\nlet a = nowhere\n")
    (finding,) = document.findings()
    assert finding["range"]["start"] == {"line": 1, "character": 8}
