"""How long the commands take to start, beside a bare interpreter.

The commands take turns, so that a slow moment of the machine falls on all of them; the minimum is what the code costs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRAINC = str(Path(sys.executable).with_name("trainc"))
SPEC = "examples/quickstart/quickstart.train"
# A file of a thousand lines, made of the quickstart's records.
LONG = Path(tempfile.gettempdir()) / "trainc-thousand-lines.train"
ROUNDS = 15

BARE = "python -c pass"
COMMANDS = {
    BARE: [sys.executable, "-c", "pass"],
    "trainc --version": [TRAINC, "--version"],
    f"trainc check {SPEC}": [TRAINC, "check", SPEC],
    "trainc fmt of 1,000 lines": [TRAINC, "fmt", "--check", str(LONG)],
}
# What is promised where the bare interpreter takes 10 ms.
BARE_MS = 10.0
PROMISED_MS = {"trainc --version": 70.0, f"trainc check {SPEC}": 200.0, "trainc fmt of 1,000 lines": 80.0}


def seconds_of(command: list[str]) -> float:
    """The wall time of one run; a command that fails stops the benchmark with its output."""
    start = time.perf_counter()
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    elapsed = time.perf_counter() - start
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with exit {result.returncode}:\n{result.stdout}{result.stderr}")
    return elapsed


def measure(commands: dict[str, list[str]], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of every run, after one that warms the caches of byte code."""
    for command in commands.values():
        seconds_of(command)
    runs: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(1000 * seconds_of(command))
    return runs


def table(runs: dict[str, list[float]]) -> str:
    """A line a command: minimum, median, ratio to bare Python, and what is promised at this speed."""
    bare = min(runs[BARE])
    lines = [f"{'command':<50}{'min ms':>8}{'median':>8}{'ratio':>7}{'promised':>10}"]
    for name, times in runs.items():
        promised = f"{PROMISED_MS[name] * bare / BARE_MS:.0f}" if name in PROMISED_MS else ""
        lowest = min(times)
        lines.append(f"{name:<50}{lowest:8.1f}{statistics.median(times):8.1f}{lowest / bare:7.1f}{promised:>10}")
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    if not Path(TRAINC).exists():
        sys.exit(f"{TRAINC} is not there: run `make install` first")
    records = (ROOT / SPEC).read_text(encoding="utf-8").partition("cluster here")
    repeated = (records[1] + records[2] + "\n") * (1000 // records[2].count("\n"))
    LONG.write_text(repeated.rstrip() + "\n", encoding="utf-8")
    print(table(measure(COMMANDS, ROUNDS)))


if __name__ == "__main__":
    main()
