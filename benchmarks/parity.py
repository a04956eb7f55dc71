"""Runs the whole parity matrix and writes docs/parity.md: each way to spread beside one process.

Words choose rows and write nothing: `parity.py tp`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / ".src"), str(ROOT / "tests" / "support")]

from parity_matrix import ROWS, chosen  # noqa: E402 - found on the path set above
from parity_rows import STEPS, Measured, Row, measure  # noqa: E402

HEAD = f"""# Parity

However a training is spread, it is the training of one process. Each row is a spec that was compiled, launched with torchrun as
its bundle is (gloo, CPU), trained for {STEPS} steps of 8 samples x 32 tokens and exported; it is compared, step by step, with one
process of the same model, data and seed in fp32. The figures are the largest absolute differences: of losses, of gradient norms, of
held-out losses. `make parity` writes this page; CI runs the rows marked with a dot.

| strategy | mesh | micro | besides | ranks | loss | gradient norm | held-out loss | |
|---|---|---|---|---|---|---|---|---|
"""


def line(row: Row, found: Measured, expected: Measured) -> str:
    """A row of the page."""
    mesh = " ".join(f"{name} {str(value).lower()}" for name, value in row.mesh.items())
    besides = ", ".join(
        part
        for part in (row.family, row.recompute, row.compute, row.attention, "packing" if row.packing else "", row.more)
        if part not in ("none", "fp32", "sdpa", "llama", "")
    )
    figures = " | ".join(
        f"{difference(getattr(found, part), getattr(expected, part)):.1e}" for part in ("losses", "norms", "heldout")
    )
    dot = "•" if row.name in {entry.name for entry in chosen()} else ""
    return f"| `{row.strategy}` | {mesh} | {row.micro} | {besides} | {row.ranks} | {figures} | {dot} |"


def difference(ours: list[float], theirs: list[float]) -> float:
    """The largest, step by step."""
    return max(abs(one - other) for one, other in zip(ours, theirs, strict=True))


def main() -> None:
    words, references, lines = sys.argv[1:], dict[str, Measured](), []
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for row in (row for row in ROWS if all(word in row.name for word in words)):
            if row.reference.name not in references:
                references[row.reference.name] = measure(row.reference, Path(folder))
            expected, began = references[row.reference.name], time.monotonic()
            try:
                found = measure(row, Path(folder))
            except AssertionError as fault:
                print(f"FAILED {row.name}: {str(fault)[-1500:]}", flush=True)
                failed += 1
                continue
            within = difference(found.losses, expected.losses) <= row.tolerance
            within = within and difference(found.norms, expected.norms) <= row.norm_tolerance
            # Another dtype leaves its mark: losses that are too close were not computed in it.
            within = within and (row.compute == "fp32" or difference(found.losses, expected.losses) > 1e-5)
            failed += not within
            lines.append(line(row, found, expected))
            print(lines[-1], "" if within else "TOO FAR", f"{time.monotonic() - began:.0f} s", flush=True)
    if not words and not failed:
        (ROOT / "docs" / "parity.md").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
