from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from trainc.compiler import whole_file
from trainc.dsl.formats import FORMATS

PROGRAM = f"import sys; sys.path.insert(0, {str(Path('.src').resolve())!r}); from trainc.compiler.cli import main; main()"
MESH = str(Path("examples/mistakes/mesh.train").resolve())


def trainc(*arguments: str, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, input=stdin, cwd=cwd, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A spec with two errors and a clean one."""
    (tmp_path / "bad.train").write_text(Path(MESH).read_text() + "let a = b\n")
    (tmp_path / "good.train").write_text("let x = 1\n")
    return tmp_path


@pytest.mark.parametrize("style", FORMATS)
def test_every_format_prints_and_writes_the_same_and_exits_alike(style: str, folder: Path) -> None:
    printed = trainc("check", ".", "--format", style, cwd=folder)
    written = trainc("check", ".", "--format", style, "--output", "report", cwd=folder)
    assert (printed.returncode, written.returncode) == (1, 1)
    assert (printed.stderr, written.stderr) == ("", "")
    assert "TRN101" in printed.stdout
    assert (folder / "report").read_text() == printed.stdout
    assert written.stdout == "2 errors: written to report\n"
    assert sorted(os.listdir(folder)) == [".trainc_cache", "bad.train", "good.train", "report"]


@pytest.mark.parametrize("style", FORMATS)
def test_every_format_takes_a_clean_spec_and_one_that_cannot_be_read(style: str, folder: Path) -> None:
    clean = trainc("check", "good.train", "--format", style, cwd=folder)
    assert (clean.returncode, clean.stderr) == (0, "")
    unreadable = trainc("check", "absent.train", "--format", style, cwd=folder)
    assert (unreadable.returncode, unreadable.stderr) == (2, "")
    assert "absent.train" in unreadable.stdout


def test_machine_formats_are_what_they_say(folder: Path) -> None:
    for style in ("json", "sarif", "gitlab"):
        json.loads(trainc("check", ".", "--format", style, cwd=folder).stdout)
    for style in ("junit", "checkstyle"):
        ElementTree.fromstring(trainc("check", ".", "--format", style, cwd=folder).stdout)


def test_absolute_paths_below_the_folder_are_shown_relative(folder: Path) -> None:
    shown = trainc("check", str(folder / "bad.train"), "--format", "github", cwd=folder).stdout
    assert shown.startswith("::error file=bad.train,line=")


def test_standard_input_has_a_name_in_every_format(folder: Path) -> None:
    for style in FORMATS:
        assert "stdin.train" in trainc("check", "-", "--format", style, cwd=folder, stdin="let a = b").stdout


@pytest.mark.parametrize("target", ["absent/report", ".", "/proc/report"])
def test_a_report_that_cannot_be_written_is_a_finding(target: str, folder: Path) -> None:
    result = trainc("check", "good.train", "--output", target, cwd=folder)
    assert result.returncode == 2
    assert "error[TRN861]: cannot write" in result.stdout
    assert "Traceback" not in result.stderr


def test_only_the_module_of_the_format_is_imported(folder: Path) -> None:
    program = PROGRAM.replace("main()", "") + "\ntry:\n    main()\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program, "check", "good.train"]
    loaded = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True).stderr.split()
    assert "trainc.dsl.render_text" in loaded
    assert [name for name in loaded if name.startswith("trainc.dsl.render_")] == ["trainc.dsl.render_text"]
    assert "trainc.compiler.pages" not in loaded


def test_a_rewritten_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    whole_file.write(str(tmp_path / "link"), b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_that_any_new_file_has(tmp_path: Path) -> None:
    whole_file.write(str(tmp_path / "new"), b"")
    (tmp_path / "other").touch()
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE)
    whole_file.write(str(tmp_path / "pipe"), b"text")
    assert reader.communicate(timeout=60)[0] == b"text"
    assert (tmp_path / "pipe").is_fifo()
