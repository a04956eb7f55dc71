"""The project's settings count in an editor as they do for `trainc check`."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pygls")

from trainc.compiler.driver import analyse
from trainc.compiler.policy import baseline

SPEC = """import std.gpus
import std.models.tiny
cluster here { gpu = gpus.host, gpus_per_node = 2 }
mesh pair { cluster = here, dp_shard = 2 }
data corpus { train = python_stdlib, sequence = 256 }
stage base {
  model     = tiny.llama_1m
  data      = corpus
  mesh      = pair
  batch     { global = 16, micro = 4 }
  optimizer = adamw { lr = 5 }
  duration  = 100 steps
}
"""


def found(document: Any) -> dict[str, int]:
    return {finding["code"]: finding["severity"] for finding in document.findings()}


def test_a_severity_of_the_project_is_the_editors(editor: Any) -> None:
    (editor.folder / "trainc.toml").write_text('severity = { TRN307 = "error" }\n')
    assert found(editor.open("spec.train", SPEC))["TRN307"] == 1


def test_settings_are_read_again_when_they_change(editor: Any) -> None:
    document = editor.open("spec.train", SPEC)
    assert "TRN307" in found(document)
    (editor.folder / "trainc.toml").write_text('ignore = ["TRN307"]\n')
    editor.notify("workspace/didChangeWatchedFiles", {"changes": []})
    assert "TRN307" not in found(document)


def test_what_a_baseline_holds_is_not_shown(editor: Any) -> None:
    (editor.folder / "trainc.toml").write_text('baseline = "known.json"\n')
    path = editor.folder / "spec.train"
    path.write_text(SPEC)
    analysis = analyse(path, {})
    baseline.write(editor.folder / "known.json", [baseline.Located(finding, analysis.library) for finding in analysis.findings])
    assert "TRN307" not in found(editor.open("spec.train", SPEC))


def test_settings_that_make_no_sense_are_found_in_their_own_file(editor: Any) -> None:
    settings = editor.folder / "trainc.toml"
    settings.write_text('strict = true\nignroe = ["TRN307"]\n')
    document = editor.open("spec.train", SPEC)
    (finding,) = editor.published(settings.as_uri())
    assert finding["range"]["start"] == {"line": 1, "character": 0}
    assert "TRN307" in found(document)


def test_what_is_not_used_is_faded(editor: Any) -> None:
    document = editor.open("spec.train", SPEC + "let spare = 1\n")
    (finding,) = [one for one in document.findings() if one["code"] == "TRN907"]
    assert finding["tags"] == [1]
