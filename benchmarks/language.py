"""How long the commands of the language take, beside a bare interpreter, `ruff check` and `yamllint` in the same run.

The commands take turns, so that a slow moment of the machine falls on all of them; the minimum is what the code costs. `check` is
timed as it comes, which knows unchanged clean specs again, and with `--no-cache`.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from specs import spec

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
ROUNDS = 15
BARE = "python -c pass"
# What is promised is promised where the bare interpreter takes so long.
BARE_MS = 10.0


@dataclass(frozen=True)
class Timed:
    """A command, how many rounds it takes part in, and what is promised of it in milliseconds."""

    command: list[str]
    promised_ms: float | None = None
    rounds: int = ROUNDS


def timed(folder: Path) -> dict[str, Timed]:
    """The commands, over files that are made for them."""
    for lines in (100, 1_000, 20_000):
        (folder / f"{lines}.train").write_text(spec(lines), encoding="utf-8")
    (folder / "faults.train").write_text(spec(1_000, faults=20), encoding="utf-8")
    (folder / "many").mkdir()
    for index in range(500):
        (folder / "many" / f"{index:03d}.train").write_text(spec(45), encoding="utf-8")
    (folder / "lines.py").write_text("".join(f"value_{line} = {line} + 1\n" for line in range(1_000)), encoding="utf-8")
    (folder / "lines.yaml").write_text("---\n" + "".join(f"value_{line}: {line}\n" for line in range(1_000)), encoding="utf-8")
    trainc = str(BIN / "trainc")
    return {
        BARE: Timed([sys.executable, "-c", "pass"]),
        "trainc --version": Timed([trainc, "--version"], 60),
        "trainc check, 100 lines": Timed([trainc, "check", "100.train"], 90),
        "trainc check, 100 lines, --no-cache": Timed([trainc, "check", "100.train", "--no-cache"]),
        "trainc check, 1,000 lines": Timed([trainc, "check", "1000.train"], 150),
        "trainc check, 1,000 lines, --no-cache": Timed([trainc, "check", "1000.train", "--no-cache"]),
        "trainc check, 1,000 lines, 20 findings": Timed([trainc, "check", "faults.train"]),
        "trainc check, 20,000 lines": Timed([trainc, "check", "20000.train"], 1_500, 5),
        "trainc check, 20,000 lines, --no-cache": Timed([trainc, "check", "20000.train", "--no-cache"], 1_500, 5),
        "trainc check, 500 unchanged specs": Timed([trainc, "check", "many"], 500, 5),
        "trainc fmt --check, 1,000 lines": Timed([trainc, "fmt", "--check", "1000.train"], 80),
        "ruff check, 1,000 lines of Python": Timed([str(BIN / "ruff"), "check", "--quiet", "lines.py"]),
        "yamllint, 1,000 lines of YAML": Timed([str(BIN / "yamllint"), "lines.yaml"]),
    }


def seconds_of(command: list[str], folder: Path) -> float:
    """The wall time of one run; a command that fails, other than by findings, stops the benchmark with its output."""
    start = time.perf_counter()
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    elapsed = time.perf_counter() - start
    if result.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} failed with exit {result.returncode}:\n{result.stdout}{result.stderr}")
    return elapsed


def measure(commands: dict[str, Timed], folder: Path) -> dict[str, list[float]]:
    """Milliseconds of every run, after one that warms the caches."""
    for one in commands.values():
        seconds_of(one.command, folder)
    runs: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(ROUNDS):
        for name, one in commands.items():
            if turn < one.rounds:
                runs[name].append(1000 * seconds_of(one.command, folder))
    return runs


def table(runs: dict[str, list[float]], commands: dict[str, Timed]) -> str:
    """A line a command: minimum, median, ratio to bare Python, and what is promised at this speed."""
    bare = min(runs[BARE])
    lines = [f"{'command':<42}{'min ms':>8}{'median':>8}{'ratio':>7}{'promised':>10}"]
    for name, times in runs.items():
        promised = commands[name].promised_ms
        allowed = f"{promised * bare / BARE_MS:.0f}" if promised is not None else ""
        lines.append(f"{name:<42}{min(times):8.1f}{statistics.median(times):8.1f}{min(times) / bare:7.1f}{allowed:>10}")
    return "\n".join(lines)


def growth() -> str:
    """Microseconds a line of the analysis alone, by length and by number of findings; and an editor's look at 500 lines."""
    sys.path.insert(0, str(ROOT / ".src"))
    from trainc.compiler.driver import analyse

    def per_line(text: str) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            analyse(Path("benchmark.train"), {}, text)
            times.append(time.perf_counter() - start)
        return 1e6 * min(times) / text.count("\n")

    sizes = [f"{lines:,} lines {per_line(spec(lines)):.0f}" for lines in (500, 1_000, 5_000, 20_000)]
    faults = [f"{count} findings {per_line(spec(5_000, faults=count)):.0f}" for count in (0, 20, 100)]
    return f"microseconds a line: {', '.join(sizes)}\nof 5,000 lines: {', '.join(faults)}"


def main() -> None:
    """Measures and prints."""
    with tempfile.TemporaryDirectory() as name:
        commands = timed(Path(name))
        print(table(measure(commands, Path(name)), commands))
    print(growth())


if __name__ == "__main__":
    main()
