from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

QUICKSTART = "examples/quickstart/quickstart.train"


def trainc(*arguments: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own, as a user does."""
    program = f"import sys; sys.path.insert(0, {str(Path('.src').resolve())!r}); from trainc.compiler.cli import main; main()"
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, input=stdin, cwd=cwd, check=False)


def test_version() -> None:
    assert trainc("--version").stdout.startswith("trainc ")


def test_a_clean_spec_exits_with_0() -> None:
    result = trainc("check", QUICKSTART)
    assert (result.returncode, result.stderr) == (0, "")
    assert "no findings" in result.stdout


def test_findings_exit_with_1_and_go_to_stdout(tmp_path: Path) -> None:
    (tmp_path / "bad.train").write_text("mesh m { cluster = nowhere }")
    result = trainc("check", str(tmp_path / "bad.train"))
    assert result.returncode == 1
    assert "error[TRN101]: no name `nowhere` here" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [("check", "absent.train"), ("check",), ("nothing",), ("explain", "TRN999"), ("check", QUICKSTART, "--set", "length")],
)
def test_wrong_usage_and_unreadable_input_exit_with_2(arguments: tuple[str, ...]) -> None:
    result = trainc(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_check_reads_standard_input() -> None:
    result = trainc("check", "-", stdin="let a = b")
    assert result.returncode == 1
    assert "stdin.train:1:9" in result.stdout


def test_check_searches_folders(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "bad.train").write_text("let a = b")
    assert "bad.train:1:9" in trainc("check", str(tmp_path)).stdout


def test_findings_as_json(tmp_path: Path) -> None:
    (tmp_path / "bad.train").write_text("let a = b")
    content = json.loads(trainc("check", str(tmp_path / "bad.train"), "--format", "json").stdout)
    assert content["format_version"] == 1
    assert [finding["code"] for finding in content["findings"]] == ["TRN101"]


def test_params_come_from_a_file_and_the_command_line_wins(tmp_path: Path) -> None:
    (tmp_path / "params.json").write_text('{"length": "70 steps"}')
    given = ("--params", str(tmp_path / "params.json"))
    by_file = json.loads(trainc("plan", QUICKSTART, *given, "--format", "json").stdout)
    by_hand = json.loads(trainc("plan", QUICKSTART, *given, "--set", "length=90steps", "--format", "json").stdout)
    assert by_file["stages"][0]["schedule"]["total_steps"] == 70
    assert by_hand["stages"][0]["schedule"]["total_steps"] == 90


def test_neither_check_nor_compile_loads_torch(tmp_path: Path) -> None:
    program = """
import sys
sys.path.insert(0, ".src")
from trainc.compiler.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
loaded = {"torch", "transformers", "numpy", "peft", "deepspeed"} & sys.modules.keys()
assert not loaded, loaded
"""
    for arguments in (["check", QUICKSTART], ["compile", QUICKSTART, "-o", str(tmp_path / "bundle")]):
        subprocess.run([sys.executable, "-c", program, *arguments], check=True)


def test_compile_then_verify_then_find_a_change(tmp_path: Path) -> None:
    folder = str(tmp_path / "bundle")
    assert trainc("compile", QUICKSTART, "-o", folder).returncode == 0
    assert trainc("verify", folder).returncode == 0
    (tmp_path / "bundle" / "requirements.txt").write_text("torch\n")
    result = trainc("verify", folder)
    assert result.returncode == 1
    assert "`requirements.txt` was changed" in result.stdout


def test_a_spec_with_errors_compiles_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.train").write_text("let a = b")
    assert trainc("compile", str(tmp_path / "bad.train"), "-o", str(tmp_path / "bundle")).returncode == 1
    assert not (tmp_path / "bundle").exists()


def test_init_writes_a_spec_that_is_clean_and_keeps_what_is_there(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("mine\n")
    assert trainc("init", str(tmp_path)).returncode == 0
    assert trainc("check", "--strict", str(tmp_path)).returncode == 0
    assert (tmp_path / ".gitignore").read_text() == "mine\n"
    assert trainc("init", str(tmp_path)).returncode == 1


def test_what_show_prints_is_a_whole_stage(tmp_path: Path) -> None:
    shown = trainc("show", QUICKSTART).stdout
    (tmp_path / "shown.train").write_text(shown)
    again = trainc("show", str(tmp_path / "shown.train"))
    assert again.returncode == 0, again.stdout
    assert again.stdout == shown


def test_show_says_where_values_come_from() -> None:
    shown = trainc("show", QUICKSTART, "--origins").stdout
    assert "# std.models.tiny:" in shown
    assert "# default" in shown
    assert "# quickstart.train:5 (param length)" in shown
    assert "# --set length" in trainc("show", QUICKSTART, "--origins", "--set", "length=9steps").stdout


def test_show_of_one_stage_has_its_origins_only() -> None:
    spec = "tests/cases/bundles/two_stages/spec.train"
    content = json.loads(trainc("show", spec, "--stage", "second", "--origins", "--format", "json").stdout)
    assert [stage["name"] for stage in content["stages"]] == ["second"]
    assert {path.partition(".")[0] for path in content["origins"]} == {"second"}


def test_explain_prints_a_page() -> None:
    page = trainc("explain", "trn201").stdout
    assert page.startswith("TRN201")
    assert "Why:" in page


def test_a_plan_of_a_run_in_epochs_says_how_many(tmp_path: Path) -> None:
    spec = Path("tests/cases/bundles/two_stages/spec.train")
    shutil.copytree(spec.parent, tmp_path / "specs")
    text = trainc("plan", str(tmp_path / "specs" / spec.name), "--stage", "second").stdout
    assert "2 epochs" in text
    assert "as many as the data makes, 4.1k a step" in text
    other = tmp_path / "specs" / "other.train"
    other.write_text(spec.read_text().replace("2 epochs", "20 steps"))
    moved = trainc("diff", str(tmp_path / "specs" / spec.name), str(other)).stdout
    assert "second: steps as the data makes -> 20\n" in moved


def test_a_plan_names_its_terms() -> None:
    text = trainc("plan", QUICKSTART).stdout
    assert "16 samples" in text
    assert "optimizer" in text


def test_an_unknown_stage_says_which_there_are() -> None:
    result = trainc("plan", QUICKSTART, "--stage", "sft")
    assert result.returncode == 2
    assert "pretrain" in result.stderr


def test_the_graph_as_svg_is_xml() -> None:
    assert ElementTree.fromstring(trainc("graph", QUICKSTART, "--format", "svg").stdout).tag.endswith("}svg")


def test_docs_describe_every_kind_and_variant() -> None:
    assert "how ranks are laid out" in trainc("docs", "stage").stdout
    names = trainc("docs").stdout.split("\n")
    assert {"stage", "fsdp2", "batch", "hf", "hf of model source"} <= set(names)
    result = trainc("docs", "fsdp")
    assert result.returncode == 2
    assert "`fsdp2`" in result.stderr


@pytest.mark.parametrize("arguments", [("plan",), ("compile", "-o", "bundle"), ("run",)])
def test_a_spec_without_a_stage_can_be_checked_but_not_run(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "parts.train").write_text("let x = 1\n")
    assert trainc("check", "parts.train", cwd=tmp_path).returncode == 0
    result = trainc(arguments[0], "parts.train", *arguments[1:], cwd=tmp_path)
    assert result.returncode == 1
    assert "`parts.train` declares no stage" in result.stdout


def test_an_unreadable_file_does_not_hide_the_findings_of_others(tmp_path: Path) -> None:
    (tmp_path / "a.train").write_bytes(b"\xff\xfe")
    (tmp_path / "b.train").write_text("let a = b")
    result = trainc("check", str(tmp_path))
    assert result.returncode == 2
    assert "TRN151" in result.stdout
    assert "TRN101" in result.stdout


def test_explain_follows_a_value_to_where_it_was_written() -> None:
    text = trainc("explain", f"{QUICKSTART}:pretrain.duration", "--set", "length=50steps").stdout
    assert text.startswith("pretrain.duration = 50 steps\n")
    assert "`length` comes from" in text
    assert "set on the command line --set length:1: 50steps" in text


def test_explain_says_what_nobody_set_and_suggests_what_exists() -> None:
    assert "its default" in trainc("explain", f"{QUICKSTART}:pretrain.seed").stdout
    result = trainc("explain", f"{QUICKSTART}:pretrain.batch.mikro")
    assert result.returncode == 2
    assert "pretrain.batch.micro" in result.stderr


def test_standard_input_must_be_utf8() -> None:
    program = f"import sys; sys.path.insert(0, {str(Path('.src').resolve())!r}); from trainc.compiler.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", program, "check", "-"], capture_output=True, input=b"let a = \xff", check=False)
    assert result.returncode == 2
    assert b"TRN151" in result.stdout


def test_specs_inside_a_bundle_are_not_searched_for(tmp_path: Path) -> None:
    assert trainc("compile", QUICKSTART, "-o", str(tmp_path / "bundle")).returncode == 0
    (tmp_path / "own.train").write_text("let x = 1\n")
    (tmp_path / "folder.train").mkdir()
    assert trainc("check", str(tmp_path)).stdout.startswith("1 spec checked")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize(
    "arguments", [["check", "examples/quickstart/quickstart.train"], ["explain", "TRN101"], ["plan", "nowhere.train"]]
)
def test_a_full_disk_is_said_plainly(arguments: list[str]) -> None:
    command = [sys.executable, "-c", "import sys; sys.path.insert(0, '.src'); from trainc.compiler.cli import main; main()"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*command, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "error: cannot write the output: no space left on device\n")
