from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from trainc.compiler.driver import analyse
from trainc.compiler.lsp.buffers import Buffer
from trainc.compiler.lsp.positions import Lines
from trainc.compiler.lsp.rename import rename
from trainc.compiler.lsp.spot import spot
from trainc.compiler.lsp.targets import NameTarget
from trainc.compiler.lsp.workspace import Workspace
from trainc.compiler.resolve import bound_name
from trainc.dsl import ast
from trainc.dsl.parser import parse
from trainc.dsl.source import Source

SPEC = """import std.gpus
import "./parts.train"
let width = 2
let wide = 4
cluster here { gpu = gpus.host, gpus_per_node = width }
mesh pair { cluster = here, dp_shard = width, assert dp_shard == width }
precision exact { compute = fp32 }
let doubled = parts.rate * width
"""


@pytest.fixture
def spec(editor: Any) -> Any:
    (editor.folder / "parts.train").write_text("let rate = 1e-3\nlet twice = rate * 2\n")
    return editor.open("spec.train", SPEC)


def renamed(document: Any, words: str, name: str, offset: int = 0) -> dict[str, str]:
    """The text of each file after a rename, by its name."""
    answer = document.ask("rename", document.at(words, offset), newName=name)
    texts = {}
    for uri, edits in answer["changes"].items():
        file = document.editor.folder / uri.rpartition("/")[2]
        text = document.text if uri == document.uri else file.read_text()
        lines = text.split("\n")
        for edit in sorted(edits, key=lambda edit: -edit["range"]["start"]["line"] * 1000 - edit["range"]["start"]["character"]):
            start, end = edit["range"]["start"], edit["range"]["end"]
            row = lines[start["line"]]
            lines[start["line"]] = row[: start["character"]] + edit["newText"] + row[end["character"] :]
        texts[file.name] = "\n".join(lines)
    return texts


def refused(document: Any, words: str, name: str, offset: int = 0) -> str:
    params = {"textDocument": {"uri": document.uri}, "position": document.at(words, offset), "newName": name}
    error = document.editor.answer("textDocument/rename", params)["error"]
    assert error["code"] == -32803
    message: str = error["message"]
    return message


def test_a_name_is_renamed_wherever_it_is_used(spec: Any) -> None:
    texts = renamed(spec, "width", "breadth")
    assert texts == {"spec.train": SPEC.replace("width", "breadth")}


def test_a_name_is_renamed_across_files(spec: Any) -> None:
    texts = renamed(spec, "rate *", "speed")
    assert texts["spec.train"] == SPEC.replace("parts.rate", "parts.speed")
    assert texts["parts.train"] == "let speed = 1e-3\nlet twice = speed * 2\n"


def test_renaming_an_import_gives_it_an_alias(spec: Any) -> None:
    texts = renamed(spec, "gpus.host", "devices")
    assert "import std.gpus as devices\n" in texts["spec.train"]
    assert "gpu = devices.host" in texts["spec.train"]


def test_the_word_is_shown_before_it_is_renamed(spec: Any) -> None:
    answer = spec.ask("prepareRename", spec.at("width,", 2))
    assert answer["placeholder"] == "width"
    assert spec.taken(answer["range"]) == "width"


@pytest.mark.parametrize(
    ("words", "name", "why"),
    [
        ("width", "wide", "declared already, at line 4"),
        ("width", "2wide", "cannot be a name"),
        ("width", "if", "cannot be a name"),
        # In the block's own assert, the field would win.
        ("width", "tp", "would mean something else"),
        ("host", "h", "belongs to the standard library"),
        ("dp_shard", "x", "is a field"),
        ("fp32", "x", "is a word that its field takes"),
        ("std.gpus", "x", "is a module"),
    ],
)
def test_what_must_not_be_renamed_is_refused_with_a_reason(spec: Any, words: str, name: str, why: str) -> None:
    assert why in refused(spec, words, name, 1)


def test_a_refusal_is_no_defect(spec: Any) -> None:
    refused(spec, "dp_shard", "x")
    assert not [line for line in spec.editor.log if b"Traceback" in line]


def test_a_field_cannot_be_prepared_either(spec: Any) -> None:
    params = {"textDocument": {"uri": spec.uri}, "position": spec.at("dp_shard")}
    assert "is a field" in spec.editor.answer("textDocument/prepareRename", params)["error"]["message"]


def declared(text: str) -> list[str]:
    items = parse(Source("spec.train", text)).file.items
    return [bound_name(item)[0] for item in items if not isinstance(item, ast.Assert)]


EXAMPLE = Path("examples/quickstart/quickstart.train").read_text()


@pytest.mark.parametrize("name", declared(EXAMPLE))
def test_a_spec_means_the_same_after_any_rename(name: str, tmp_path: Path) -> None:
    path = (tmp_path / "spec.train").resolve()
    workspace = Workspace(folders=[tmp_path])
    workspace.buffers.put(path, Buffer(path.as_uri(), 1, EXAMPLE))
    asked = spot(workspace, path)
    assert asked is not None
    use = next(one for one in asked.view.index.occurrences if isinstance(one.target, NameTarget) and one.target.name == name)
    changes = rename(replace(asked, offset=use.span.start), "fresh").changes
    assert changes is not None
    text = EXAMPLE
    for edit in reversed(changes[path.as_uri()]):
        start, end = (Lines(EXAMPLE).offset(place) for place in (edit.range.start, edit.range.end))
        text = text[:start] + edit.new_text + text[end:]
    assert "fresh" in text
    path.write_text(text)
    analysis = analyse(path, {})
    assert analysis.findings == ()
    assert analysis.plan is not None
