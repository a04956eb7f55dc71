"""Runs the parity matrix and writes docs/parity.md: each way to spread beside one process.

Words choose rows, and the page keeps its others: `parity.py tp`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "parity.md"
sys.path[:0] = [str(ROOT / ".src"), str(ROOT / "tests" / "support")]

from parity_matrix import ROWS, chosen  # noqa: E402 - found on the path set above
from parity_rows import STEPS, Measured, Row, measure  # noqa: E402

HEAD = f"""# Parity

However a training is spread, it is the training of one process. Each row is a spec that was compiled; its bundle
trained for {STEPS} steps of 8 samples x 32 tokens on its ranks (gloo, CPU) and exported; it is compared, step by step, with one
process of the same model, data and seed in fp32. The figures are the largest absolute differences: of losses, of gradient norms, of
held-out losses. `make parity` writes this page; CI runs the rows marked with a dot.

| strategy | mesh | micro | besides | ranks | loss | gradient norm | held-out loss | |
|---|---|---|---|---|---|---|---|---|
"""


def cells(row: Row) -> str:
    """What a row of the page begins with."""
    mesh = " ".join(f"{name} {str(value).lower()}" for name, value in row.mesh.items())
    parts = (row.family, row.recompute, row.compute, row.attention, "packing" if row.packing else "", row.more)
    besides = ", ".join(part for part in parts if part not in ("none", "fp32", "sdpa", "llama", ""))
    return f"| `{row.strategy}` | {mesh} | {row.micro} | {besides} | {row.ranks} |"


def line(row: Row, found: Measured, expected: Measured) -> str:
    """A row of the page."""
    figures = (f"{difference(getattr(found, part), getattr(expected, part)):.1e}" for part in ("losses", "norms", "heldout"))
    return f"{cells(row)} {' | '.join(figures)} |"


def difference(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The largest, step by step."""
    return max(abs(one - other) for one, other in zip(ours, theirs, strict=True))


def holds(row: Row, found: Measured, expected: Measured) -> bool:
    """Whether all three stay within what the row allows."""
    losses, norms = difference(found.losses, expected.losses), difference(found.norms, expected.norms)
    # Another dtype leaves its mark: losses that are too close were not computed in it.
    marked = row.compute == "fp32" or losses > 1e-5
    return marked and losses <= row.tolerance and norms <= row.norm_tolerance


def write(lines: dict[str, str]) -> None:
    """The page with these lines, by what they begin with, and with those of other rows as they are."""
    known = {next((start for start in map(cells, ROWS) if kept.startswith(start)), ""): kept for kept in kept_lines()}
    in_ci = {row.name for row in chosen()}
    rows = [(row, (known | lines).get(cells(row))) for row in ROWS]
    text = "".join(f"{measured} {'•' if row.name in in_ci else ''} |\n" for row, measured in rows if measured)
    PAGE.write_text(HEAD + text, encoding="utf-8")


def kept_lines() -> list[str]:
    """The rows that the page has, without their last column."""
    if not PAGE.exists():
        return []
    return [
        f"{entry.rsplit('|', 2)[0].rstrip()} |"
        for entry in PAGE.read_text(encoding="utf-8").splitlines()
        if entry.startswith("| `")
    ]


def main() -> None:
    references, lines, failed = dict[str, Measured](), dict[str, str](), 0
    with tempfile.TemporaryDirectory() as folder:
        for row in (row for row in ROWS if all(word in row.name for word in sys.argv[1:])):
            began = time.monotonic()
            try:
                if row.reference.name not in references:
                    references[row.reference.name] = measure(row.reference, Path(folder))
                expected, found = references[row.reference.name], measure(row, Path(folder))
            except AssertionError as fault:
                print(f"FAILED {row.name}: {str(fault)[-1500:]}", flush=True)
                failed += 1
                continue
            good = holds(row, found, expected)
            failed += not good
            lines[cells(row)] = line(row, found, expected)
            print(lines[cells(row)], "" if good else "TOO FAR", f"{time.monotonic() - began:.0f} s", flush=True)
    if not failed:
        write(lines)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
