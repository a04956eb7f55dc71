"""Symbols, folding, semantic tokens."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pygls")

SPEC = """# The first of
# two lines.
import std.gpus
import std.models.tiny

## The length of it.
param length: extent = 300 steps
let names = [
  "a",
  "b",
]
cluster here {
  gpu = gpus.host
  gpus_per_node = max(1, 2)
}
mesh pair = small {
  dp_shard = 2
}
mesh small { cluster = here }
precision exact { compute = fp32 }
stage base {
  optimizer = adamw {
    lr = 1e-3
  }
  eval {
    every = 50 steps
  }
}
"""


@pytest.fixture
def spec(editor: Any) -> Any:
    return editor.open("spec.train", SPEC)


def test_the_outline_holds_items_and_their_fields(spec: Any) -> None:
    symbols = spec.ask("documentSymbol")
    assert [symbol["name"] for symbol in symbols] == ["gpus", "tiny", "length", "names", "here", "pair", "small", "exact", "base"]
    here = symbols[4]
    assert (here["detail"], [child["name"] for child in here["children"]]) == ("cluster", ["gpu", "gpus_per_node"])
    assert spec.taken(here["selectionRange"]) == "here"
    assert spec.taken(here["range"]).startswith("cluster here {")
    assert [child["name"] for child in symbols[8]["children"][1]["children"]] == ["every"]


def test_declarations_of_all_files_are_found_by_a_few_letters(editor: Any) -> None:
    (editor.folder / "parts.train").write_text("let learning_rate = 1\n")
    editor.open("spec.train", 'import "./parts.train"\nlet larger = 1\nlet other = 2\n')
    found = editor.request("workspace/symbol", {"query": "lear"})
    here = [symbol for symbol in found if editor.folder.as_uri() in symbol["location"]["uri"]]
    assert [symbol["name"] for symbol in here] == ["learning_rate"]
    assert here[0]["containerName"] == "parts.train"


def test_blocks_lists_imports_and_comments_fold(spec: Any) -> None:
    ranges = [(one["startLine"], one["endLine"], one.get("kind")) for one in spec.ask("foldingRange")]
    assert ranges == [
        (0, 1, "comment"),
        (2, 3, "imports"),
        (7, 9, None),
        (11, 13, None),
        (15, 16, None),
        (20, 26, None),
        (21, 22, None),
        (24, 25, None),
    ]


def decoded(document: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    legend = document.editor.capabilities["semanticTokensProvider"]["legend"]
    data = document.ask("semanticTokens/full")["data"]
    rows = document.text.split("\n")
    line = character = 0
    found = []
    for step, shift, length, kind, bits in zip(*(data[offset::5] for offset in range(5)), strict=True):
        character = shift if step else character + shift
        line += step
        units = rows[line].encode("utf-16-le")
        text = units[2 * character : 2 * (character + length)].decode("utf-16-le")
        modifiers = tuple(word for index, word in enumerate(legend["tokenModifiers"]) if bits >> index & 1)
        found.append((text, legend["tokenTypes"][kind], modifiers))
    return found


@pytest.mark.parametrize(
    "token",
    [
        ("# The first of", "comment", ()),
        ("## The length of it.", "comment", ("documentation",)),
        ("import", "keyword", ()),
        ("std.gpus", "namespace", ()),
        ("param", "keyword", ()),
        ("length", "parameter", ("declaration",)),
        ("extent", "type", ("defaultLibrary",)),
        ("300 steps", "number", ()),
        ('"a"', "string", ()),
        ("cluster", "struct", ("defaultLibrary",)),
        ("here", "variable", ("declaration",)),
        ("here", "variable", ()),
        ("gpus", "namespace", ()),
        ("host", "variable", ("defaultLibrary",)),
        ("gpus_per_node", "property", ()),
        ("max", "function", ("defaultLibrary",)),
        ("fp32", "enumMember", ()),
        ("adamw", "class", ("defaultLibrary",)),
    ],
)
def test_words_are_coloured_by_their_meaning(spec: Any, token: tuple[str, str, tuple[str, ...]]) -> None:
    assert token in decoded(spec)


def test_tokens_of_several_lines_are_cut_at_their_ends(editor: Any) -> None:
    document = editor.open("a.train", 'let a = """one\ntwo"""\nlet b = 1')
    strings = [text for text, kind, _ in decoded(document) if kind == "string"]
    assert strings == ['"""one', 'two"""']
