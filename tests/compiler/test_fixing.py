from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = f"import sys; sys.path.insert(0, {str(Path('.src').resolve())!r}); from trainc.compiler.cli import main; main()"


def trainc(*arguments: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, input=stdin, cwd=cwd, check=False)


def test_fix_writes_what_it_mends_and_says_how_much(tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let flag = True\nlet other = nothing_like_it\n")
    result = trainc("check", "a.train", "--fix", cwd=tmp_path)
    assert (tmp_path / "a.train").read_text() == "let flag = true\nlet other = nothing_like_it\n"
    assert result.returncode == 1
    assert result.stdout.endswith(b"1 error\n1 fixed, 1 left\n")
    assert b"nothing_like_it" in result.stdout


def test_fix_exits_with_0_when_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let flag = True\n")
    result = trainc("check", "--fix", ".", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, b"1 spec checked, no findings\n1 fixed, 0 left\n")


def test_reports_of_machines_hold_only_what_is_left(tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let flag = True\nlet other = nothing\n")
    result = trainc("check", "--fix", "--format", "json", ".", cwd=tmp_path)
    assert [finding["line"] for finding in json.loads(result.stdout)["findings"]] == [2]
    assert result.stderr == b"1 fixed, 1 left\n"


def test_diff_prints_and_writes_nothing(tmp_path: Path) -> None:
    before = "let a = 1\r\nlet flag = True"
    (tmp_path / "a.train").write_bytes(before.encode())
    result = trainc("check", "--diff", ".", cwd=tmp_path)
    assert result.returncode == 1
    assert (tmp_path / "a.train").read_bytes() == before.encode()
    assert result.stdout == (
        b"--- a.train\n+++ a.train\n@@ -1,2 +1,2 @@\n let a = 1\r\n"
        b"-let flag = True\n\\ No newline at end of file\n+let flag = true\n\\ No newline at end of file\n"
    )
    assert result.stderr == b"1 would be fixed, 0 left\n"


def test_diff_exits_with_0_where_nothing_can_be_fixed(tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let other = nothing\n")
    result = trainc("check", "--diff", ".", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"0 would be fixed, 1 left\n")


def test_fix_and_diff_exclude_each_other(tmp_path: Path) -> None:
    assert trainc("check", "--fix", "--diff", ".", cwd=tmp_path).returncode == 2


def test_standard_input_is_fixed_to_standard_output(tmp_path: Path) -> None:
    result = trainc("check", "--fix", "-", cwd=tmp_path, stdin=b"let flag = True\r\nlet other = nothing\r\n")
    assert (result.returncode, result.stdout) == (1, b"let flag = true\r\nlet other = nothing\r\n")
    assert b"stdin.train:2:13" in result.stderr
    assert result.stderr.endswith(b"1 fixed, 1 left\n")
    assert os.listdir(tmp_path) == []


def test_standard_input_with_nothing_to_fix_comes_out_as_it_went_in(tmp_path: Path) -> None:
    assert trainc("check", "--fix", "-", cwd=tmp_path, stdin=b"let a = 1").stdout == b"let a = 1"
    assert trainc("check", "--diff", "-", cwd=tmp_path, stdin=b"let a = 1").stdout == b""
    assert trainc("check", "--fix", "-", cwd=tmp_path, stdin=b"\xff").returncode == 2


def test_a_byte_order_mark_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.train").write_bytes(b"\xef\xbb\xbflet flag = True\n")
    trainc("check", "--fix", ".", cwd=tmp_path)
    assert (tmp_path / "a.train").read_bytes() == b"\xef\xbb\xbflet flag = true\n"


@pytest.mark.parametrize("options", [("--fix",), ("--diff",)])
def test_an_unreadable_file_does_not_keep_others_from_being_fixed(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.train").write_bytes(b"\xff")
    (tmp_path / "b.train").write_text("let flag = True\n")
    result = trainc("check", *options, ".", cwd=tmp_path)
    assert result.returncode == 2
    assert b"TRN151" in result.stdout + result.stderr
    assert b"let flag = true" in result.stdout + (tmp_path / "b.train").read_bytes()


def test_a_file_that_is_imported_from_elsewhere_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "lib.train").write_text("let flag = True\n")
    (tmp_path / "own").mkdir()
    (tmp_path / "a.train").write_text('import "./lib.train"\nlet x = True\n')
    result = trainc("check", "--fix", "a.train", cwd=tmp_path)
    assert (tmp_path / "lib.train").read_text() == "let flag = True\n"
    assert b"1 fixed, 1 left" in result.stdout


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.train").write_text("let flag = True\n")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "link.train").symlink_to("../outside.train")
    trainc("check", "--fix", "specs", cwd=tmp_path)
    assert (tmp_path / "outside.train").read_text() == "let flag = True\n"
    trainc("check", "--fix", "specs/link.train", cwd=tmp_path)
    assert (tmp_path / "outside.train").read_text() == "let flag = true\n"
    assert (tmp_path / "specs" / "link.train").is_symlink()


def test_a_mode_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let flag = True\n")
    (tmp_path / "a.train").chmod(0o600)
    trainc("check", "--fix", ".", cwd=tmp_path)
    assert (tmp_path / "a.train").stat().st_mode & 0o777 == 0o600


def test_values_of_params_are_not_fixed_into_the_file(tmp_path: Path) -> None:
    text = "param size: count = 1\nlet n = size\n"
    (tmp_path / "a.train").write_text(text)
    result = trainc("check", "--fix", "a.train", "--set", "size=True", cwd=tmp_path)
    assert result.returncode == 1
    assert (tmp_path / "a.train").read_text() == text


@pytest.mark.parametrize("path", ["absent.train", "a\0b".replace("\0", "\\x00"), "x" * 5000])
def test_paths_that_do_not_exist_are_findings(path: str, tmp_path: Path) -> None:
    result = trainc("check", "--fix", path, cwd=tmp_path)
    assert result.returncode == 2
    assert b"Traceback" not in result.stderr
    assert b"TRN000" not in result.stderr


def test_a_check_without_fixes_imports_nothing_of_them(tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let a = 1\n")
    program = PROGRAM.replace("main()", "") + "\ntry:\n    main()\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program, "check", "a.train"]
    loaded = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True).stderr.split()
    assert not {"trainc.compiler.mending", "trainc.dsl.edits", "difflib"} & set(loaded)
