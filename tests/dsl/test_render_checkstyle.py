from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

from trainc.dsl.render_checkstyle import render
from trainc.dsl.report import Report


def test_findings_stand_below_their_files(report: Callable[..., Report]) -> None:
    bad, clean = ElementTree.fromstring(render(report())).findall("file")
    assert (clean.get("name"), len(clean)) == ("clean.train", 0)
    assert bad.get("name") == "specs/a b,c:d.train"
    shown = [tuple(entry.get(name) for name in ("line", "column", "severity", "source")) for entry in bad]
    assert shown == [
        ("3", "15", "error", "trainc.TRN003"),
        ("2", "1", "warning", "trainc.TRN212"),
        ("3", "3", "info", "trainc.TRN702"),
        ("1", "1", "error", "trainc.TRN401"),
        ("1", "1", "error", "trainc.TRN110"),
        ("1", "1", "error", "trainc.TRN999"),
    ]
    assert bad[0].get("message") == "expected `=`\nafter `pp`: 100%; help: h"
