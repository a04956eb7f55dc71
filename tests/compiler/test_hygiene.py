from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from trainc.compiler.driver import analyse
from trainc.dsl.diagnostics import Diagnostic, Severity


def found(findings: tuple[Diagnostic, ...]) -> list[tuple[str, str]]:
    assert all(finding.severity is Severity.WARNING for finding in findings)
    return [(finding.code, finding.primary.text) for finding in findings if finding.primary]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let spare = 1", ("TRN907", "spare")),
        ("param spare: count = 1", ("TRN907", "spare")),
        ("import std.clusters", ("TRN908", "std.clusters")),
        ("import std.clusters as spare", ("TRN908", "spare")),
        ("mesh spare = pair { }", ("TRN909", "spare")),
        ("model spare = tiny.llama_1m", ("TRN909", "spare")),
        ("data spare = corpus { sequence = 512 }", ("TRN909", "spare")),
        ("stage spare = base { seed = 1 }\npipeline p { stages = [base] }", ("TRN909", "spare")),
    ],
)
def test_what_nothing_reads_is_a_warning(text: str, expected: tuple[str, str], analysed: Any) -> None:
    assert found(analysed(text).findings) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "let used = 1\nassert used == 1",
        'let used = 1\nassert true else "it is ${used}"',
        'let used = 1\nstage s = base { assert seed >= 0 else "it is ${used}" }',
        "param used: count = 4\nstage s = base { batch { micro = used } }",
        "stage second = base { seed = 1 }",
        "stage part = base { seed = 1 }\nstage whole = part { seed = 2 }\npipeline p { stages = [base, whole] }",
    ],
)
def test_what_is_read_anywhere_is_silent(text: str, analysed: Any) -> None:
    assert found(analysed(text).findings) == []


def test_a_file_without_stages_may_declare_what_others_read(analysed: Any) -> None:
    text = (
        "import std.gpus\nlet x = 1\nparam n: count = 1\ncluster c { gpu = gpus.host, gpus_per_node = 1 }\nmesh m { cluster = c }\n"
    )
    assert analysed(text, head="").findings == ()


def test_the_imports_of_a_file_without_stages_are_looked_at(analysed: Any) -> None:
    assert found(analysed("import std.gpus\nlet x = 1\n", head="").findings) == [("TRN908", "std.gpus")]


def test_a_file_of_imports_hands_them_on(analysed: Any, tmp_path: Path) -> None:
    (tmp_path / "prelude.train").write_text("import std.gpus\n")
    assert analysed("import std.gpus\nimport std.clusters\n", head="").findings == ()


def test_the_fix_deletes_the_line_of_an_import(analysed: Any) -> None:
    (finding,) = analysed("import std.clusters   # for later\nlet x = 1\nassert x == 1\n").findings
    (edit,) = finding.fix.edits
    assert edit.span.text == "import std.clusters   # for later\n"


def test_nothing_is_called_unused_beside_an_error(analysed: Any) -> None:
    assert [finding.code for finding in analysed("let spare = 1\nlet broken = nowhere").findings] == ["TRN101"]


def test_a_member_wins_over_a_binding_and_the_linter_says_so(analysed: Any) -> None:
    text = 'let bf16 = "mine"\nstage s = base { precision { reduce = bf16 } }\nassert bf16 == "mine"'
    (finding,) = analysed(text).findings
    assert (finding.code, finding.primary.text) == ("TRN906", "bf16")
    assert finding.related[0].span.text == "bf16"


def test_a_variant_wins_over_a_binding_and_the_linter_says_so(analysed: Any) -> None:
    text = "let constant = cosine { warmup = 10% }\nstage s = base { schedule = constant }"
    assert found(analysed(text).findings) == [("TRN906", "constant")]


def test_a_record_of_that_name_was_never_meant(analysed: Any) -> None:
    assert analysed("precision fp32 { compute = fp32 }\nstage s = base { precision = fp32 }").findings == ()


@pytest.mark.parametrize("path", [*sorted(Path("stdlib").rglob("*.train")), *Path("examples/quickstart").glob("*.train")], ids=str)
def test_what_ships_is_clean(path: Path) -> None:
    assert analyse(path, {}).findings == ()
