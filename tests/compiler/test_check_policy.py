"""What `trainc check`, `plan` and `compile` make of settings and of options that say which findings count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

HEAD = """\
import std.gpus
import std.models.tiny
cluster here { gpu = gpus.host, gpus_per_node = 2 }
mesh pair { cluster = here, dp_shard = 2 }
stage base {
  model     = tiny.llama_1m
  data      { train = python_stdlib, sequence = 256 }
  mesh      = pair
  precision { compute = fp32 }
  batch     { global = 16, micro = 4 }
  optimizer = adamw { lr = 1e-3 }
  duration  = 100 steps
"""
FINE = HEAD + "}\n"
WARNING = HEAD.replace("1e-3", "0.5") + "}\n"
ESTIMATE = HEAD + "  schedule = cosine { warmup = 200 steps }\n}\n"
FATAL = HEAD.replace("dp_shard = 2", "dp_shard = 3") + "}\n"
BOTH = HEAD.replace("1e-3", "0.5") + "  schedule = cosine { warmup = 200 steps }\n}\n"


@pytest.fixture
def spec(tmp_path: Path) -> Any:
    def write(text: str, name: str = "spec.train") -> None:
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)

    return write


def codes(output: str) -> list[str]:
    return [finding["code"] for finding in json.loads(output)["findings"]]


# Options


def test_only_selected_codes_are_shown_and_the_errors_of_others_are_told(check: Any, spec: Any) -> None:
    spec(BOTH)
    result = check("spec.train", "--select", "TRN307")
    assert "TRN303" not in result.stdout
    assert result.stdout.endswith("1 warning\n1 error of other codes not shown\n")
    assert result.exit_code == 1


def test_a_selection_that_finds_nothing_does_not_say_that_all_is_well(check: Any, spec: Any) -> None:
    spec(FATAL)
    result = check("spec.train", "--select", "TRN3")
    assert result.stdout == "1 spec checked, no findings of these codes\n1 error of other codes not shown\n"
    assert result.exit_code == 1


def test_codes_are_separated_by_commas_or_given_again(check: Any, spec: Any) -> None:
    spec(BOTH)
    for arguments in (["--select", "trn307, TRN303"], ["--select", "TRN307", "--select", "TRN30"]):
        assert codes(check("spec.train", "--format", "json", *arguments).stdout) == ["TRN307", "TRN303"]


def test_what_is_ignored_does_not_count(check: Any, spec: Any) -> None:
    spec(BOTH)
    assert check("spec.train", "--ignore", "TRN3").stdout == "1 spec checked, no findings\n"
    assert check("spec.train", "--ignore", "TRN3").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ignore", "TRN201"], "`TRN201` cannot be ignored: ranks that are left over never join a collective"),
        (["--ignore", "TRN1"], "`TRN1` cannot be ignored: a run fails on everything that it finds"),
        (["--ignore", "TRN330"], "did you mean `TRN303`?"),
        (["--select", "E501"], "no code is or begins with `E501`"),
    ],
)
def test_codes_that_make_no_sense_are_wrong_usage(arguments: list[str], said: str, check: Any, spec: Any) -> None:
    spec(FINE)
    result = check("spec.train", *arguments)
    assert result.exit_code == 2
    assert said in result.stdout


def test_findings_below_the_least_severity_are_not_shown(check: Any, spec: Any) -> None:
    spec(WARNING)
    assert "TRN307" in check("spec.train", "--min-severity", "warning").stdout
    assert check("spec.train", "--min-severity", "error").stdout == "1 spec checked, no findings\n"


def test_help_fits_a_screen(check: Any) -> None:
    lines = check("--help").stdout.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80


# Settings


def test_settings_beside_the_spec_or_above_it_count(check: Any, spec: Any, tmp_path: Path) -> None:
    spec(BOTH, "deep/er/spec.train")
    spec('ignore = ["TRN303"]\n', "trainc.toml")
    assert "TRN303" not in check("deep/er/spec.train").stdout
    spec('[tool.trainc]\nignore = ["TRN307"]\n', "deep/pyproject.toml")
    assert "TRN307" not in check("deep/er/spec.train").stdout
    assert "TRN303" in check("deep/er/spec.train").stdout


def test_own_settings_win_over_pyproject_in_one_folder(check: Any, spec: Any) -> None:
    spec(BOTH)
    spec('[tool.trainc]\nignore = ["TRN307"]\n', "pyproject.toml")
    spec('ignore = ["TRN303"]\n', "trainc.toml")
    assert codes(check("spec.train", "--format", "json").stdout) == ["TRN307"]


def test_the_command_line_wins_over_settings(check: Any, spec: Any) -> None:
    spec(WARNING)
    spec('ignore = ["TRN307"]\nstrict = true\n', "trainc.toml")
    assert check("spec.train").exit_code == 0
    assert "TRN307" in check("spec.train", "--select", "TRN307").stdout
    assert check("spec.train", "--ignore", "TRN702").exit_code == 1
    assert check("spec.train", "--ignore", "TRN702", "--no-strict").exit_code == 0


def test_strict_settings_make_warnings_count(check: Any, spec: Any) -> None:
    spec(WARNING)
    assert check("spec.train").exit_code == 0
    spec("strict = true\n", "trainc.toml")
    assert check("spec.train").exit_code == 1


def test_severities_can_be_raised_and_lowered(check: Any, spec: Any) -> None:
    spec(BOTH)
    spec('severity = { TRN303 = "note", TRN307 = "error" }\n', "trainc.toml")
    result = check("spec.train")
    assert "note[TRN303]" in result.stdout
    assert "error[TRN307]" in result.stdout
    assert result.exit_code == 1


def test_excluded_specs_are_not_found_and_still_checked_by_name(check: Any, spec: Any) -> None:
    spec(FINE)
    spec("let x = nowhere", "old/bad.train")
    spec('exclude = ["old"]\n', "trainc.toml")
    assert check(".").stdout == "1 spec checked, no findings\n"
    assert check("old/bad.train").exit_code == 1


def test_broken_settings_are_shown_with_their_line_and_end_with_2(check: Any, spec: Any) -> None:
    spec(FINE)
    spec('strict = true\nexlude = ["old"]\n', "trainc.toml")
    for command in ("check", "plan"):
        result = check("spec.train", command=command)
        assert result.exit_code == 2
        assert "error[TRN912]: no setting `exlude`\n --> trainc.toml:2:1" in result.stdout
        assert "did you mean `exclude`?" in result.stdout


def test_what_may_not_be_suppressed_is_found(check: Any, spec: Any) -> None:
    spec(ESTIMATE.replace("200 steps }", "200 steps } # trainc: allow TRN303 -- by hand"))
    assert check("spec.train").exit_code == 0
    spec('no-suppress = ["TRN3"]\n', "trainc.toml")
    assert codes(check("spec.train", "--format", "json").stdout) == ["TRN303", "TRN904"]
    assert check("spec.train", command="plan").exit_code == 1


def test_plans_and_compilations_follow_the_settings(check: Any, spec: Any) -> None:
    spec(BOTH)
    assert check("spec.train", command="plan").exit_code == 1
    spec('severity = { TRN303 = "warning" }\nignore = ["TRN307"]\n', "trainc.toml")
    result = check("spec.train", command="plan")
    assert result.exit_code == 0
    assert "TRN303" in result.stderr
    assert "TRN307" not in result.stderr
    assert check("spec.train", "-o", "bundle", command="compile").exit_code == 0


def test_a_raised_warning_stops_a_compilation(check: Any, spec: Any) -> None:
    spec(WARNING)
    spec('severity = { TRN307 = "error" }\n', "trainc.toml")
    assert check("spec.train", "-o", "bundle", command="compile").exit_code == 1
    assert not Path("bundle").exists()


def test_a_selection_never_lets_a_spec_with_errors_compile(check: Any, spec: Any) -> None:
    spec(FATAL)
    spec('select = ["TRN3"]\n', "trainc.toml")
    result = check("spec.train", "-o", "bundle", command="compile")
    assert result.exit_code == 1
    assert "TRN201" in result.stdout


# Folders


def test_a_finding_of_an_imported_file_is_shown_once(check: Any, spec: Any) -> None:
    spec("let x = nowhere\n", "parts.train")
    for name in ("a.train", "b.train"):
        spec('import "./parts.train"\nlet y = parts.x\n', name)
    assert codes(check(".", "--format", "json").stdout) == ["TRN101"]
    assert codes(check("a.train", "./b.train", "parts.train", "--format", "json").stdout) == ["TRN101"]


def test_a_library_may_import_from_above_its_folder_within_the_folder_that_is_checked(check: Any, spec: Any) -> None:
    spec("let n = 4\n", "x.train")
    spec('import "../x.train"\nlet m = x.n\n', "sub/lib.train")
    spec(FINE.replace("micro = 4", "micro = lib.m").replace("import std.gpus", 'import "./sub/lib.train"\nimport std.gpus'))
    assert check(".").stdout == "3 specs checked, no findings\n"
    assert "TRN153" in check("sub/lib.train").stdout
    assert "TRN153" in check("sub").stdout


def test_a_spec_that_runs_by_itself_may_not(check: Any, spec: Any) -> None:
    spec("let n = 4\n", "x.train")
    spec(
        FINE.replace("micro = 4", "micro = x.n").replace("import std.gpus", 'import "../x.train"\nimport std.gpus'), "sub/run.train"
    )
    assert codes(check(".", "--format", "json").stdout) == ["TRN153"]
    assert check("sub/run.train", command="plan").exit_code == 1


def test_what_another_spec_reads_is_not_called_unused(check: Any, spec: Any) -> None:
    spec(FINE.replace("stage base", "let long = 500 steps\nmesh same = pair { }\nstage base"), "one.train")
    assert codes(check(".", "--format", "json").stdout) == ["TRN907", "TRN909"]
    spec('import "./one.train"\nstage two = one.base { duration = one.long }\n', "two.train")
    assert codes(check(".", "--format", "json").stdout) == ["TRN909"]
    assert codes(check("one.train", "--format", "json").stdout) == ["TRN907", "TRN909"]


def test_findings_stand_in_the_order_in_which_specs_were_named(check: Any, spec: Any) -> None:
    for name in ("a.train", "b.train"):
        spec("let x = nowhere\n", name)
    output = check("b.train", "a.train", "b.train", "--format", "json").stdout
    assert [finding["file"] for finding in json.loads(output)["findings"]] == ["b.train", "a.train"]


def test_a_spec_that_is_named_twice_is_checked_once(check: Any, spec: Any) -> None:
    spec("let x = nowhere\n")
    spec("let x = 1\n", "other.train")
    assert check("other.train", "--write-baseline", "known.json").exit_code == 0
    result = check("spec.train", "./spec.train", ".", "--baseline", "known.json", "--format", "json")
    assert codes(result.stdout) == ["TRN101"]
    assert check("other.train", "./other.train", ".", "--ignore", "TRN9", "--select", "TRN9").stdout.startswith("2 specs")


def test_a_link_out_of_the_folder_is_checked_where_it_leads(check: Any, spec: Any, tmp_path: Path) -> None:
    spec('import "../x.train"\nlet y = x.n\n', "lib/real.train")
    spec("let n = 1\n", "x.train")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "link.train").symlink_to(tmp_path / "lib" / "real.train")
    assert codes(check("linked", "--format", "json").stdout) == ["TRN153"]


@pytest.mark.parametrize("options", [[], ["--baseline", "known.json"]])
def test_odd_paths_are_findings(options: list[str], check: Any, spec: Any, tmp_path: Path) -> None:
    spec("let n = 1\n", "x.train")
    check("x.train", "--write-baseline", "known.json")
    (tmp_path / "loop.train").symlink_to(tmp_path / "loop.train")
    for path in ("loop.train", "a\0b.train", "x" * 300, "absent/spec.train"):
        assert check(path, *options).exit_code == 2


def test_what_is_written_anew_is_not_mended_in_the_same_breath(check: Any, tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let a = 1\n")
    result = check("a.train", "--fix", "--write-baseline", "known.json")
    assert result.exit_code == 2
    assert "--fix and --write-baseline do not go together" in result.stderr
