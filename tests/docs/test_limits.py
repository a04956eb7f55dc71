"""The page of the language names the limits that the compiler has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from trainc.compiler import apply, evaluate, loader, reading
from trainc.dsl import tokens

PAGE = Path("docs/language.md").read_text(encoding="utf-8")
LIMITS = [
    ("TRN026", f"{tokens.MAX_BRACKETS}"),
    ("TRN026", f"{tokens.MAX_DEPTH}"),
    ("TRN132", f"{evaluate.DEPTH_LIMIT}"),
    ("TRN137", f"{apply.LONGEST:,}"),
    ("TRN138", f"{evaluate.STEP_LIMIT:,}"),
    ("TRN156", f"{reading.MOST_BYTES // 1024**2} MiB"),
    ("TRN157", f"{loader.DEEPEST}"),
    ("TRN131", f"{apply.LARGEST:.0e}".replace("+", "")),
]


@pytest.mark.parametrize(("code", "most"), LIMITS)
def test_the_page_names_the_limit(code: str, most: str) -> None:
    assert (most, code) in re.findall(r"\| ([^|]+) \| `(TRN\d{3})` \|", PAGE)
