from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from trainc.compiler.policy.globs import matches
from trainc.compiler.policy.project import Project, read
from trainc.compiler.policy.settings_files import SettingsError, candidates
from trainc.dsl.diagnostics import Diagnostic, Severity


def settings(folder: Path, text: str, name: str = "trainc.toml") -> Project | None:
    (folder / name).write_text(text)
    return read([folder / name])


def faults(folder: Path, text: str, name: str = "trainc.toml") -> tuple[Diagnostic, ...]:
    with pytest.raises(SettingsError) as caught:
        settings(folder, text, name)
    return caught.value.findings


def test_every_setting_is_read(tmp_path: Path) -> None:
    text = """
select = ["TRN2", "TRN303"]
ignore = ["TRN702"]
exclude = ["old/**"]
no-suppress = ["TRN70"]
strict = true
baseline = "known.json"
[severity]
TRN303 = "warning"
"""
    project = settings(tmp_path, text)
    assert project is not None
    assert project.policy.select == ("TRN2", "TRN303")
    assert project.policy.ignore == ("TRN702",)
    assert project.policy.severity == {"TRN303": Severity.WARNING}
    assert project.policy.fixed == {"TRN701", "TRN702"}
    assert project.policy.strict
    assert project.baseline == tmp_path / "known.json"
    assert project.exclude == ("old/**",)


def test_settings_stand_in_a_table_of_pyproject(tmp_path: Path) -> None:
    project = settings(tmp_path, "[tool.other]\nstrict = 1\n[tool.trainc]\nstrict = true\n", "pyproject.toml")
    assert project is not None
    assert project.policy.strict


def test_a_pyproject_without_the_table_holds_no_settings(tmp_path: Path) -> None:
    assert settings(tmp_path, '[project]\ndependencies = ["trainc"]\n', "pyproject.toml") is None


def test_the_nearest_file_is_tried_first_and_the_own_one_before_pyproject(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    for folder in (tmp_path, below):
        (folder / "trainc.toml").write_text("")
    (below / "pyproject.toml").write_text("[tool.trainc]\n")
    found = list(candidates(str(below / "spec.train")))
    assert found[:3] == [below / "trainc.toml", below / "pyproject.toml", tmp_path / "trainc.toml"]


def test_the_search_stops_at_the_root_of_the_repository(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / "specs").mkdir(parents=True)
    (repository / ".git").mkdir()
    (tmp_path / "trainc.toml").write_text("")
    assert list(candidates(str(repository / "specs" / "spec.train"))) == []
    (repository / "trainc.toml").write_text("")
    assert list(candidates(str(repository / "specs" / "spec.train"))) == [repository / "trainc.toml"]


def test_a_name_that_no_file_can_have_has_no_settings() -> None:
    assert list(candidates("a\0b/spec.train")) == []


@pytest.mark.parametrize(
    ("text", "code", "place", "help"),
    [
        ('exlude = ["x"]', "TRN912", "exlude", "did you mean `exclude`?"),
        ("colour = 1", "TRN912", "colour", None),
        ('strict = "yes"', "TRN913", "strict", None),
        ('select = "TRN2"', "TRN913", "select", None),
        ("ignore = [1]", "TRN913", "ignore", None),
        ("severity = { TRN303 = 1 }", "TRN913", "severity", None),
        ('severity = { TRN303 = "warn" }', "TRN913", "TRN303", None),
        ('severity = { TRN303 = "eror" }', "TRN913", "TRN303", "did you mean `error`?"),
        ('severity = { TRN330 = "error" }', "TRN914", "TRN330", "did you mean `TRN303`?"),
        ('select = ["TRN2", "TRNX"]', "TRN914", "TRNX", None),
        ('no-suppress = ["trn303"]', "TRN914", "trn303", "did you mean `TRN303`?"),
        ('ignore = ["TRN201"]', "TRN915", "TRN201", "mend what it finds"),
        ('ignore = ["TRN1"]', "TRN915", "TRN1", "mend what it finds"),
        ('severity = { TRN201 = "note" }', "TRN915", "TRN201", "mend what it finds"),
    ],
)
def test_what_makes_no_sense_is_a_finding_at_its_place(text: str, code: str, place: str, help: str | None, tmp_path: Path) -> None:
    (finding,) = faults(tmp_path, f"# select, ignore and all that\n\n{text}\n".replace("select, ignore and all that", "settings"))
    assert finding.code == code
    assert finding.primary is not None
    assert (finding.primary.text, finding.primary.line) == (place, 3)
    assert help is None or finding.help == help


def test_every_fault_is_reported_at_once(tmp_path: Path) -> None:
    assert [finding.code for finding in faults(tmp_path, "strict = 1\ncolour = 2\n")] == ["TRN913", "TRN912"]


def test_a_setting_of_the_right_section_is_pointed_at(tmp_path: Path) -> None:
    (finding,) = faults(tmp_path, "[tool.other]\nstrict = 1\n[tool.trainc]\nstrict = 1\n", "pyproject.toml")
    assert finding.primary is not None
    assert finding.primary.line == 4


@pytest.mark.parametrize("text", ["select = [", "strict = yes", "a = 1\na = 2", "= 1"])
def test_broken_toml_is_a_finding_with_its_line(text: str, tmp_path: Path) -> None:
    (finding,) = faults(tmp_path, f"\n{text}\n")
    assert finding.code == "TRN911"
    assert finding.primary is not None
    assert finding.primary.line >= 2


def test_settings_must_be_utf8(tmp_path: Path) -> None:
    (tmp_path / "trainc.toml").write_bytes(b"strict = \xff")
    with pytest.raises(SettingsError) as caught:
        read([tmp_path / "trainc.toml"])
    assert [finding.code for finding in caught.value.findings] == ["TRN911"]


def test_a_table_that_is_none_is_a_finding(tmp_path: Path) -> None:
    (finding,) = faults(tmp_path, "[tool]\ntrainc = 3\n", "pyproject.toml")
    assert finding.code == "TRN913"


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("old/a.train", "old", True),
        ("old/deep/a.train", "old/", True),
        ("older/a.train", "old", False),
        ("x/old/a.train", "old", False),
        ("x/old/a.train", "**/old", True),
        ("old/a.train", "**/old/**", True),
        ("a.train", "*.train", True),
        ("x/a.train", "*.train", False),
        ("x/a.train", "**/*.train", True),
        ("a.train", "**/*.train", True),
        ("x/y/a.train", "x/*/a.train", True),
        ("x/y/z/a.train", "x/*/a.train", False),
        ("ab.train", "a?.train", True),
        ("a+b.train", "a+b.train", True),
        ("aab.train", "a+b.train", False),
    ],
)
def test_patterns_mean_what_gitignore_means(path: str, pattern: str, expected: bool) -> None:
    assert matches(path, pattern) is expected


def test_without_settings_nothing_is_imported_for_them(tmp_path: Path) -> None:
    program = """
import sys
from trainc.compiler.cli import main
sys.argv = ["trainc", "check", sys.argv[1]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
needless = ["tomllib", "trainc.compiler.policy.project", "trainc.compiler.pages", "trainc.compiler.policy.baseline", "subprocess"]
loaded = [name for name in needless if name in sys.modules]
assert not loaded, loaded
"""
    (tmp_path / ".git").mkdir()
    (tmp_path / "spec.train").write_text("let x = 1\n")
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "spec.train")],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ".src"},
    )
    assert result.returncode == 0, result.stderr
