"""Findings follow what is typed: at the right files, places and versions, and they go when their document goes."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pygls")


def codes(findings: list[dict[str, Any]]) -> list[str]:
    return [finding["code"] for finding in findings]


def test_a_finding_has_its_place_code_severity_and_help(editor: Any) -> None:
    document = editor.open("a.train", "let wide = 1\nlet b = wiide\n")
    (finding,) = document.findings()
    assert document.taken(finding["range"]) == "wiide"
    assert (finding["code"], finding["severity"], finding["source"]) == ("TRN101", 1, "trainc")
    assert finding["message"] == "no name `wiide` here\nhelp: did you mean `wide`?"


def test_findings_follow_what_is_typed(editor: Any) -> None:
    document = editor.open("a.train", "let a = b")
    assert codes(document.findings()) == ["TRN101"]
    document.change("let a = 1")
    assert document.findings() == []


def test_fast_typing_is_answered_for_the_last_version_only(editor: Any) -> None:
    document = editor.open("a.train", "let a = 1")
    for number in range(20):
        document.change(f"let a = b{number}")
    assert "b19" in document.findings()[0]["message"]
    versions = [note["params"].get("version") for note in editor.notes if note.get("params", {}).get("uri") == document.uri]
    assert len(versions) < 10


def test_unsaved_buffers_of_imported_files_count(editor: Any) -> None:
    (editor.folder / "parts.train").write_text("let x = 1")
    spec = editor.open("spec.train", 'import "./parts.train"\nlet y = parts.fresh')
    assert codes(spec.findings()) == ["TRN106"]
    editor.open("parts.train", "let fresh = 1")
    assert spec.findings() == []


def test_findings_in_an_imported_file_are_published_there(editor: Any) -> None:
    (editor.folder / "parts.train").write_text("let x = nowhere")
    spec = editor.open("spec.train", 'import "./parts.train"\n')
    assert codes(editor.published((editor.folder / "parts.train").as_uri())) == ["TRN101"]
    assert spec.findings() == []


def test_an_imported_file_is_judged_by_the_spec_that_imports_it(editor: Any) -> None:
    (editor.folder / "parts").mkdir()
    (editor.folder / "spec.train").write_text('import "./parts/one.train"\n')
    (editor.folder / "two.train").write_text("let x = 1")
    # Alone, its import would lie outside the folder of the spec.
    one = editor.open("parts/one.train", 'import "../two.train"\nlet y = two.x\n')
    assert one.findings() == []


def test_related_places_are_told_with_their_files(editor: Any) -> None:
    document = editor.open("a.train", "let a = 1\nlet a = 2\n")
    (finding,) = document.findings()
    (related,) = finding["relatedInformation"]
    assert related["location"]["uri"] == document.uri
    assert related["location"]["range"]["start"]["line"] == 0
    assert related["message"] == "first declared here"


def test_findings_go_when_a_document_is_closed(editor: Any) -> None:
    document = editor.open("a.train", "let a = b")
    assert document.findings() != []
    document.close()
    assert editor.published(document.uri) == []


def test_a_document_that_was_never_saved_is_checked_too(editor: Any) -> None:
    item = {"uri": "untitled:Untitled-1", "languageId": "train", "version": 1, "text": "let a = b"}
    editor.notify("textDocument/didOpen", {"textDocument": item})
    assert codes(editor.published("untitled:Untitled-1", 1)) == ["TRN101"]
    editor.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:Untitled-1"}})


def test_a_warning_is_a_warning(editor: Any) -> None:
    spec = """
import std.gpus
import std.models.tiny
cluster here { gpu = gpus.host, gpus_per_node = 2 }
mesh pair { cluster = here, dp_shard = 2 }
data corpus { train = python_stdlib, sequence = 256 }
stage base {
  model = tiny.llama_1m
  data = corpus
  mesh = pair
  batch { global = 16, micro = 4 }
  optimizer = adamw { lr = 5 }
  duration = 100 steps
}
"""
    document = editor.open("warn.train", spec)
    found = {finding["code"]: finding["severity"] for finding in document.findings()}
    assert found["TRN307"] == 2


def test_findings_stay_while_another_open_spec_reads_the_file(editor: Any) -> None:
    (editor.folder / "parts.train").write_text("let x = nowhere")
    editor.open("spec.train", 'import "./parts.train"\n').findings()
    parts = editor.open("parts.train", "let x = elsewhere")
    assert "elsewhere" in parts.findings()[0]["message"]
    parts.close()
    (finding,) = editor.published(parts.uri)
    assert "nowhere" in finding["message"]


def test_a_data_file_that_appears_is_seen_when_something_is_saved(editor: Any) -> None:
    spec = """import std.gpus
import std.models.tiny
cluster here { gpu = gpus.host, gpus_per_node = 2 }
mesh pair { cluster = here, dp_shard = 2 }
data corpus { train = text { path = "notes.txt" }, sequence = 256 }
stage base {
  model     = tiny.llama_1m
  data      = corpus
  mesh      = pair
  batch     { global = 16, micro = 4 }
  optimizer = adamw { lr = 1e-3 }
  duration  = 100 steps
}
"""
    document = editor.open("spec.train", spec)
    assert "TRN604" in codes(document.findings())
    (editor.folder / "notes.txt").write_text("some text")
    editor.notify("textDocument/didSave", {"textDocument": {"uri": document.uri}})
    assert "TRN604" not in codes(document.findings())
