"""A corpus that every parity test trains on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def sentences(count: int) -> list[str]:
    """As many different sentences."""
    return [f"{WORDS[(place * 3 + place // 10) % 10]} and {WORDS[place % 10]} make {place}" for place in range(count)]


def write_corpus(folder: Path) -> None:
    """Sixty documents of counting rhymes: learnable, and different from each other."""
    folder.mkdir(parents=True)
    for number in range(60):
        step = number % 7 + 1
        lines = [f"{WORDS[(start * step + number) % 10]} and {WORDS[start % 10]} make {number + start}" for start in range(50)]
        (folder / f"{number:02d}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        # The same in documents of one to three lines, several of which share a sample.
        (folder / f"{number:02d}.jsonl").write_text("".join(_verses(lines)), encoding="utf-8")


def _verses(lines: list[str]) -> Iterator[str]:
    """Rows of a column `text`."""
    start = 0
    while start < len(lines):
        length = 1 + start % 3
        yield json.dumps({"text": "\n".join(lines[start : start + length])}) + "\n"
        start += length
