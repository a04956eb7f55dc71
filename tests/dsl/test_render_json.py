from __future__ import annotations

import json

from trainc.dsl.diagnostics import Edit, Fix, Related, error
from trainc.dsl.render_json import render_json
from trainc.dsl.source import Source, Span


def test_a_finding_with_everything() -> None:
    source = Source("a.train", "mesh m {\n  tp 2\n}\n")
    fix = Fix("insert `=`", (Edit(Span(source, 13, 13), " ="),))
    finding = error("TRN003", "m", Span(source, 14, 15), Related(Span(source, 0, 6), "here"), help="h", fix=fix)
    document = json.loads(render_json([finding]))
    assert document["format_version"] == 1
    (written,) = document["findings"]
    related, edits = written.pop("related"), written.pop("fix")["edits"]
    assert written == {
        "file": "a.train",
        "line": 2,
        "column": 6,
        "end_line": 2,
        "end_column": 7,
        "code": "TRN003",
        "severity": "error",
        "message": "m",
        "help": "h",
    }
    assert [(place["line"], place["column"], place["message"]) for place in related] == [(1, 1, "here")]
    assert [(edit["start"], edit["end"], edit["text"]) for edit in edits] == [(13, 13, " =")]


def test_a_finding_without_a_place() -> None:
    (written,) = json.loads(render_json([error("TRN101", "m", None)]))["findings"]
    assert (written["file"], written["line"], written["fix"]) == (None, None, None)
