"""A corpus that every parity test trains on."""

from __future__ import annotations

from pathlib import Path


def write_corpus(folder: Path) -> None:
    """Sixty documents of counting rhymes: learnable, and different from each other."""
    folder.mkdir(parents=True)
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    for number in range(60):
        step = number % 7 + 1
        lines = [f"{words[(start * step + number) % 10]} and {words[start % 10]} make {number + start}" for start in range(50)]
        (folder / f"{number:02d}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
