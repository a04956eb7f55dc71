from __future__ import annotations

from collections.abc import Callable

from trainc.dsl.render_concise import render
from trainc.dsl.report import Report


def test_each_finding_is_one_line(report: Callable[..., Report]) -> None:
    assert render(report()) == (
        "specs/a b,c:d.train:3:15: error[TRN003]: expected `=`\ufffdafter `pp`: 100%\n"
        "specs/a b,c:d.train:2:1: warning[TRN212]: the whole <mesh> & \ufffd[31m\ufffd more\n"
        "std.gpus:1:21: note[TRN702]: too small\n"
        "std.gpus:1:5: error[TRN401]: too old\n"
        "specs/a b,c:d.train: error[TRN110]: no param `x`\n"
        "--set n:1:3: error[TRN999]: of no page\n"
        "4 errors, 1 warning, 1 note\n"
    )
