"""Definition, references and highlights."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("pygls")

SPEC = """import std.gpus
import "./parts.train" as lib
let width = 2
cluster here { gpu = gpus.host, gpus_per_node = width }
mesh pair { cluster = here, dp_shard = width }
mesh four = pair { dp_shard = width * 2 }
let rate = lib.rate * here.gpus_per_node
"""


@pytest.fixture
def spec(editor: Any) -> Any:
    (editor.folder / "parts.train").write_text("let other = 1\nlet rate = 1e-3\nlet twice = rate * 2\n")
    return editor.open("spec.train", SPEC)


def places(answer: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(Path(unquote(urlsplit(place["uri"]).path)).name, place["range"]["start"]["line"]) for place in answer]


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("width }", ("spec.train", 2)),
        ("rate *", ("parts.train", 1)),
        ("host", ("gpus.train", 5)),
        ("std.gpus", ("gpus.train", 0)),
        ('"./parts.train"', ("parts.train", 0)),
        ("lib.rate", ("parts.train", 0)),
        ("gpus_per_node\n", ("spec.train", 3)),
        ("dp_shard = width * 2", ("spec.train", 4)),
    ],
)
def test_a_word_leads_to_where_it_is_defined(spec: Any, words: str, place: tuple[str, int]) -> None:
    assert places(spec.ask("definition", spec.at(words, 1))) == [place]


def test_a_word_of_the_language_leads_nowhere(spec: Any) -> None:
    assert spec.ask("definition", spec.at("cluster here", 1)) == []


def test_a_definition_is_a_file_of_the_installed_package(spec: Any) -> None:
    (place,) = spec.ask("definition", spec.at("host"))
    assert "gpu host" in Path(unquote(urlsplit(place["uri"]).path)).read_text()


def test_references_are_found_with_and_without_the_declaration(spec: Any) -> None:
    where = spec.at("width")
    used = [("spec.train", 3), ("spec.train", 4), ("spec.train", 5)]
    assert places(spec.ask("references", where, context={"includeDeclaration": False})) == used
    assert places(spec.ask("references", where, context={"includeDeclaration": True})) == [("spec.train", 2), *used]


def test_references_go_across_files_from_either_end(editor: Any, spec: Any) -> None:
    everywhere = [("parts.train", 1), ("parts.train", 2), ("spec.train", 6)]
    assert places(spec.ask("references", spec.at("rate *"), context={"includeDeclaration": True})) == everywhere
    parts = editor.open("parts.train", (editor.folder / "parts.train").read_text())
    assert places(parts.ask("references", parts.at("rate"), context={"includeDeclaration": True})) == everywhere


def test_references_from_an_imported_file_are_found_in_a_spec_that_is_not_open(editor: Any) -> None:
    (editor.folder / "spec.train").write_text('import "./parts.train"\nlet a = parts.x')
    parts = editor.open("parts.train", "let x = 1\n")
    assert places(parts.ask("references", parts.at("x"), context={"includeDeclaration": False})) == [("spec.train", 1)]


def test_references_of_a_field_are_all_places_that_set_or_read_it(spec: Any) -> None:
    answer = spec.ask("references", spec.at("gpus_per_node"), context={"includeDeclaration": True})
    assert places(answer) == [("spec.train", 3), ("spec.train", 6)]


def test_highlights_tell_the_declaration_from_its_uses(spec: Any) -> None:
    found = spec.ask("documentHighlight", spec.at("width"))
    assert [(one["range"]["start"]["line"], one["kind"]) for one in found] == [(2, 3), (3, 2), (4, 2), (5, 2)]


def test_a_folder_behind_a_link_keeps_the_name_that_the_editor_knows(shared_editor: Any, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "parts.train").write_text("let x = 1")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    editor = type(shared_editor)(tmp_path / "link")
    spec = editor.open("spec.train", 'import "./parts.train"\nlet a = parts.x')
    (place,) = spec.ask("definition", spec.at("parts.x", 6))
    editor.kill()
    assert place["uri"] == (tmp_path / "link" / "parts.train").as_uri()
