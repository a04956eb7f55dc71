"""Inlay hints and code actions."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pygls")

SPEC = """import std.gpus
import std.models.tiny
cluster here { gpu = gpus.host, gpus_per_node = 2 }
mesh pair { cluster = here, dp_shard = 2 }
precision exact { compute = fp32 }
data corpus { train = python_stdlib, sequence = 256 }
model wide = tiny.llama_1m { architecture { hidden = 256 } }
stage base {
  model     = tiny.llama_1m
  data      = corpus
  mesh      = pair
  precision = exact
  batch     { global = 16, micro = 4 }
  optimizer = adamw { lr = 1e-3 }
  duration  = 1M tokens
}
"""
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 100, "character": 0}}


def hints(document: Any, place: dict[str, Any] = WHOLE) -> dict[str, int]:
    return {hint["label"]: hint["position"]["line"] for hint in document.ask("inlayHint", range=place)}


def test_what_the_plan_derives_stands_beside_what_it_follows_from(editor: Any) -> None:
    document = editor.open("spec.train", SPEC)
    assert hints(document) == {"2.5M parameters": 6, "1.0M parameters": 8, "accumulation = 2": 12, "245 steps": 14}


def test_what_is_written_needs_no_hint(editor: Any) -> None:
    text = SPEC.replace("micro = 4", "accumulation = 2").replace("1M tokens", "100 steps")
    document = editor.open("spec.train", text)
    assert set(hints(document)) == {"2.5M parameters", "1.0M parameters"}


def test_a_spec_that_cannot_be_planned_has_no_hints_of_a_plan(editor: Any) -> None:
    document = editor.open("spec.train", SPEC.replace("dp_shard = 2", "dp_shard = 3"))
    assert hints(document) == {"2.5M parameters": 6}


def test_a_model_with_a_faulty_field_has_no_hint(editor: Any) -> None:
    document = editor.open("spec.train", SPEC.replace("hidden = 256", "hidden = nothing"))
    assert "2.5M parameters" not in hints(document)


def test_only_what_is_in_sight_is_computed(editor: Any) -> None:
    document = editor.open("spec.train", SPEC)
    assert hints(document, {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}}) == {}


def actions(document: Any, place: dict[str, Any] = WHOLE, **context: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document.ask("codeAction", range=place, context={"diagnostics": [], **context})
    return found


def test_a_fix_is_offered_where_its_finding_is(editor: Any) -> None:
    document = editor.open("a.train", "let wide = 1\nlet b = wiide\nlet c = 2\n")
    word = {"start": document.at("wiide"), "end": document.at("wiide")}
    (fix,) = actions(document, word, only=["quickfix"])
    assert (fix["title"], fix["isPreferred"]) == ("Write `wide`", True)
    assert fix["diagnostics"][0]["code"] == "TRN101"
    (edit,) = fix["edit"]["changes"][document.uri]
    assert (document.taken(edit["range"]), edit["newText"]) == ("wiide", "wide")
    elsewhere = {"start": document.at("let c"), "end": document.at("let c")}
    assert actions(document, elsewhere, only=["quickfix"]) == []


def test_all_fixes_can_be_applied_at_once(editor: Any) -> None:
    document = editor.open("a.train", "let wide = 1\nlet b = wiide\nlet c = wede\n")
    (fix,) = actions(document, only=["source.fixAll"])
    edits = fix["edit"]["changes"][document.uri]
    assert [(document.taken(edit["range"]), edit["newText"]) for edit in edits] == [("wiide", "wide"), ("wede", "wide")]


def test_a_sound_document_has_no_actions(editor: Any) -> None:
    used = SPEC.replace("model     = tiny.llama_1m", "model     = wide")
    assert actions(editor.open("spec.train", used)) == []


SUPPRESSIBLE = SPEC.replace("lr = 1e-3 }", "lr = 5 }")


def allowed(editor: Any, text: str) -> str:
    """The text after the suppression that is offered for TRN307."""
    document = editor.open("spec.train", text)
    place = {"start": document.at("lr = 5"), "end": document.at("lr = 5", 6)}
    (action,) = [one for one in actions(document, place, only=["quickfix"]) if one["title"] == "Allow TRN307 here, for a reason"]
    ((edit,),) = action["edit"]["changes"].values()
    before, after = text.split("\n"), edit["range"]["start"]
    row = before[after["line"]]
    before[after["line"]] = row[: after["character"]] + edit["newText"] + row[after["character"] :]
    return "\n".join(before)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("adamw { lr = 5 }\n", "adamw { lr = 5 }  # trainc: allow TRN307 -- reason\n"),
        ("adamw { lr = 5 } # trainc: allow TRN305 -- x\n", "adamw { lr = 5 } # trainc: allow TRN305, TRN307 -- x\n"),
    ],
)
def test_a_warning_can_be_allowed_on_its_line(editor: Any, line: str, wanted: str) -> None:
    text = SUPPRESSIBLE.replace("adamw { lr = 5 }\n", line)
    assert allowed(editor, text) == SUPPRESSIBLE.replace("adamw { lr = 5 }\n", wanted)


def test_a_suppression_stands_above_a_line_that_ends_in_another_comment(editor: Any) -> None:
    text = SUPPRESSIBLE.replace("adamw { lr = 5 }\n", "adamw { lr = 5 } # high\n")
    assert "\n  # trainc: allow TRN307 -- reason\n  optimizer = adamw { lr = 5 } # high\n" in allowed(editor, text)


@pytest.mark.parametrize("ending", ["\n", "  # high\n"])
def test_what_was_allowed_is_found_no_more(editor: Any, ending: str) -> None:
    text = allowed(editor, SUPPRESSIBLE.replace("adamw { lr = 5 }\n", f"adamw {{ lr = 5 }}{ending}"))
    assert "TRN307" not in [finding["code"] for finding in editor.open("after.train", text).findings()]


def test_an_error_on_which_a_run_fails_cannot_be_allowed(editor: Any) -> None:
    document = editor.open("spec.train", SPEC.replace("dp_shard = 2", "dp_shard = 3"))
    assert [action["title"] for action in actions(document) if "Allow TRN201" in action["title"]] == []
