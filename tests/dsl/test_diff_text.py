from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from trainc.dsl.diff_text import unified_diff

TEXTS = [
    ("a\nb\nc\n", "a\nB\nc\n"),
    ("a\nb", "a\nB"),
    ("a\nb", "a\nb\n"),
    ("a\r\nb\r\n", "a\r\nB\r\n"),
    ("a\x0cb\u2028c\nd\n", "a\x0cb\u2028C\nd\n"),
    ("", "a\n"),
]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize(("before", "after"), TEXTS)
def test_git_makes_the_text_after_from_the_diff(before: str, after: str, tmp_path: Path) -> None:
    (tmp_path / "a.train").write_bytes(before.encode())
    (tmp_path / "a.patch").write_bytes(unified_diff("a.train", before, after).encode())
    subprocess.run(["git", "apply", "-p0", "--whitespace=nowarn", "a.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "a.train").read_bytes().decode() == after


def test_equal_texts_have_no_diff() -> None:
    assert unified_diff("a", "x\n", "x\n") == ""
