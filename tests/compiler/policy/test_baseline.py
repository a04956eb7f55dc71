from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from trainc.compiler.policy import baseline
from trainc.compiler.policy.blocks import block_path
from trainc.compiler.policy.settings_files import SettingsError
from trainc.dsl.parser import parse
from trainc.dsl.source import Source, Span

WARM = "stage {name} = base {{ schedule = cosine {{ warmup = 200 steps }} }}\n"
ONE, TWO = WARM.format(name="one"), WARM.format(name="two")


def located(analysis: Any) -> list[baseline.Located]:
    return [baseline.Located(finding, analysis.library) for finding in analysis.findings]


def known(analysis: Any, folder: Path) -> Any:
    baseline.write(folder / "known.json", located(analysis))
    return baseline.read(folder / "known.json")


def fresh(analysis: Any, entries: Any, folder: Path) -> list[str]:
    return [entry.finding.primary.text for entry in baseline.new(located(analysis), entries, folder)[0]]


def test_what_is_known_is_not_new(analysed: Any, tmp_path: Path) -> None:
    analysis = analysed(ONE)
    assert len(analysis.findings) == 1
    assert fresh(analysis, known(analysis, tmp_path), tmp_path) == []


def test_lines_above_blanks_and_the_order_of_blocks_make_nothing_new(analysed: Any, tmp_path: Path) -> None:
    entries = known(analysed(ONE + TWO), tmp_path)
    moved = "\n\n# more\n" + TWO + ONE.replace(" = base", "   =  base")
    assert fresh(analysed(moved), entries, tmp_path) == []


def test_another_block_or_another_text_is_new(analysed: Any, tmp_path: Path) -> None:
    entries = known(analysed(ONE), tmp_path)
    assert fresh(analysed(TWO), entries, tmp_path) == ["200 steps"]
    assert fresh(analysed(ONE.replace("200", "300")), entries, tmp_path) == ["300 steps"]


def test_what_is_found_twice_must_be_known_twice(analysed: Any, tmp_path: Path) -> None:
    line = "assert 1 == 2\n"
    entries = known(analysed(line), tmp_path)
    assert fresh(analysed(line + line), entries, tmp_path) == ["1 == 2"]
    assert fresh(analysed(line + line), known(analysed(line + line), tmp_path), tmp_path) == []


def test_the_same_findings_make_the_same_file(analysed: Any, tmp_path: Path) -> None:
    baseline.write(tmp_path / "a.json", located(analysed(ONE + TWO)))
    baseline.write(tmp_path / "b.json", reversed(located(analysed(TWO + "\n" + ONE))))
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_an_entry_says_code_file_block_and_text(analysed: Any, tmp_path: Path) -> None:
    baseline.write(tmp_path / "known.json", located(analysed(ONE)))
    content = json.loads((tmp_path / "known.json").read_text())
    assert content["format_version"] == 1
    assert content["findings"] == [
        {"path": "spec.train", "code": "TRN303", "block": "stage one.schedule.warmup", "text": ONE.strip(), "count": 1}
    ]


def test_what_is_left_over_is_stale_where_its_file_was_checked_or_is_gone(analysed: Any, tmp_path: Path) -> None:
    entries = known(analysed(ONE), tmp_path)
    _, left = baseline.new([], entries, tmp_path)
    assert baseline.stale(left, [tmp_path / "spec.train"], tmp_path) == 1
    assert baseline.stale(left, [tmp_path / "other.train"], tmp_path) == 0
    (tmp_path / "spec.train").unlink()
    assert baseline.stale(left, [], tmp_path) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "no such file"),
        ("{", "not JSON"),
        ("[]", "no findings"),
        ('{"format_version": 2, "findings": []}', "format"),
        ('{"format_version": 1, "findings": [{"code": "TRN303"}]}', "entry"),
        ('{"format_version": 1, "findings": [{"code":"a","path":"b","block":"c","text":"d","count":0}]}', "entry"),
    ],
)
def test_a_baseline_that_cannot_be_read_is_a_finding(content: str | None, reason: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "known.json").write_text(content)
    with pytest.raises(SettingsError) as caught:
        baseline.read(tmp_path / "known.json")
    (finding,) = caught.value.findings
    assert finding.code == "TRN916"
    assert reason in finding.message


@pytest.mark.parametrize(
    ("text", "word", "path"),
    [
        ("stage s { batch { micro = 9 } }", "9", "stage s.batch.micro"),
        ("stage s = t { batch { micro = 9 } }", "9", "stage s.batch.micro"),
        ("stage s { optimizer = adamw { lr = 9 } }", "9", "stage s.optimizer.lr"),
        ("stage s { assert seed == 9 }", "9", "stage s.assert"),
        ("let x = [t { micro = 9 }]", "9", "let x.micro"),
        ("param x: count = 9", "9", "param x"),
        ("assert 9 == 1", "9", "assert"),
        ('import "./nine9.train"', "nine9", "import ./nine9.train"),
        ("stage nine { }", "nine", "stage nine"),
        ("# 9", "9", ""),
    ],
)
def test_a_place_is_named_by_the_blocks_around_it(text: str, word: str, path: str) -> None:
    source = Source("spec.train", text)
    start = text.index(word)
    assert block_path(parse(source).file, Span(source, start, start + len(word))) == path


# The command

FATAL = "mesh m { dp_shrad = 2 }\n"


def test_a_written_baseline_hides_what_is_there_and_shows_what_is_new(check: Any, tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text(FATAL)
    written = check(".", "--write-baseline", "known.json")
    assert (written.exit_code, written.stdout) == (0, "1 spec checked, no others\nknown.json: 2 findings\n")
    again = check(".", "--baseline", "known.json")
    assert (again.exit_code, again.stdout) == (0, "1 spec checked, no findings\n2 findings of known.json not shown\n")
    (tmp_path / "a.train").write_text(f"\n\n{FATAL}let x = nowhere\n")
    more = check(".", "--baseline", "known.json")
    assert more.exit_code == 1
    assert "no name `nowhere`" in more.stdout
    assert "dp_shrad" not in more.stdout.replace(FATAL, "")


def test_what_is_no_longer_there_is_told(check: Any, tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text(FATAL)
    check(".", "--write-baseline", "known.json")
    (tmp_path / "a.train").write_text("let x = 1\n")
    result = check(".", "--baseline", "known.json")
    assert result.stdout.endswith("note: 2 findings of known.json no longer there: write it anew\n")
    assert result.exit_code == 0


def test_the_settings_name_a_baseline_and_a_compilation_still_stops_at_errors(check: Any, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "trainc.toml").write_text('baseline = "known.json"\n')
    (tmp_path / "deep" / "a.train").write_text(FATAL)
    assert check("deep").exit_code == 2
    assert check("deep", "--write-baseline", "known.json").exit_code == 0
    assert check("deep").exit_code == 0
    assert check("deep/a.train", command="plan").exit_code == 1


def test_a_finding_of_an_imported_file_is_known_once(check: Any, tmp_path: Path) -> None:
    (tmp_path / "parts.train").write_text("let x = nowhere\n")
    for name in ("a.train", "b.train"):
        (tmp_path / name).write_text('import "./parts.train"\nlet y = parts.x\n')
    assert check(".", "--write-baseline", "known.json").stdout.endswith("known.json: 1 finding\n")
    assert check(".", "--baseline", "known.json").exit_code == 0


def test_a_file_that_cannot_be_read_is_never_known(check: Any, tmp_path: Path) -> None:
    (tmp_path / "a.train").write_bytes(b"\xff")
    result = check(".", "--write-baseline", "known.json")
    assert result.exit_code == 2
    assert "TRN151" in result.stdout
    assert json.loads((tmp_path / "known.json").read_text())["findings"] == []


def test_a_baseline_that_cannot_be_written_ends_with_2(check: Any, tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let x = 1\n")
    result = check("a.train", "--write-baseline", "absent/known.json")
    assert result.exit_code == 2
    assert "TRN916" in result.stdout
    assert "name a file in a folder where you may write" in result.stdout
