"""Our training loop beside one written by hand, transformers' Trainer and an accelerate loop: tokens a second and peak memory.

How to read it. All four train one model on the same tokens with the same batch, optimizer and clipping, each in processes of its
own, and take turns: a block of steps each, in an order that turns round every round, so that a slow moment of the machine falls on
all. Only ratios within a round mean something: the time of the other loop's block over that of ours in the same round, above 1
where ours is faster; the median of the rounds comes first, the smallest and the largest after it. The clock counts on a machine
of one's own; on a CPU that others use too, CPU time of rank 0 says more. Peak memory is rank 0's from before the model is built, as
the runtime measures it: on a CPU growth of the process, which counts libraries that load late. Ours does what it always does: it
adds the loss up over ranks and looks at it and the gradient norm in every step.

accelerate, and Trainer with it, knows FSDP2 on GPUs only: there is a row of by_hand and ours alone. Words choose settings, as in
`compare.py tiny x2`; `--quick` is a fifth of the rounds.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import torch.distributed as dist
from setting import Setting
from trainc.compiler.bundle import write
from trainc.compiler.cli.compile import build
from trainc.compiler.driver import analyse
from turns import open_store

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "tests" / "support"))

from places import free_port, places  # noqa: E402 - found on the path set above

OURS, BY_HAND = "ours", "by_hand"
LOOPS = (BY_HAND, "with_trainer", "with_accelerate", OURS)
ROUNDS, QUICK = 15, 3
LOOK_SECONDS = 0.02
# Steps of one turn: about half a second on a CPU.
BLOCKS = {"tiny": 30, "small": 3, "large": 10}

ON_CPU = (
    Setting("tiny", 1),
    Setting("tiny", 2),
    Setting("tiny", 2, accumulation=4),
    Setting("small", 1),
    Setting("small", 2),
    Setting("tiny", 2, strategy="fsdp2"),
    Setting("small", 2, strategy="fsdp2"),
)
ON_GPU = (
    Setting("small", 1, micro=16, sequence=512, compute="bf16"),
    Setting("large", 1, micro=4, sequence=2048, compute="bf16"),
)


@dataclass(frozen=True)
class Found:
    """Of one loop's rank 0: seconds by the clock and of CPU time of each block, losses, peak bytes."""

    seconds: list[float]
    cpu_seconds: list[float]
    losses: list[float]
    peak_bytes: int


def compare(setting: Setting, loops: Sequence[str], rounds: int, block: int, folder: Path) -> dict[str, Found]:
    """Every loop's figures; a first round warms up and does not count."""
    # The step that follows the last block ends it.
    setting = replace(setting, steps=(rounds + 1) * block + 1)
    plan, port = _plan(setting, folder), free_port()
    store = open_store(port, leads=True)
    times: dict[str, list[list[float]]] = {name: [] for name in loops}
    with _started(loops, setting, plan, block, port) as processes:

        def answer(name: str, turn: int, key: str) -> str:
            store.set(f"{name}/{turn}/go", b"1")
            return _answer(store, f"{name}/{key}", name, processes[name])

        for turn in range(rounds + 1):
            for name in loops[::-1] if turn % 2 else loops:
                times[name].append(json.loads(answer(name, turn, f"{turn}/seconds")))
        ends = {name: json.loads(answer(name, rounds + 1, "end")) for name in loops}
    return {name: Found(*map(list, zip(*times[name][1:], strict=True)), **ends[name]) for name in loops}


def _plan(setting: Setting, folder: Path) -> Path:
    spec = folder / "loop.train"
    spec.write_text(setting.spec(), encoding="utf-8")
    analysis = analyse(spec, {})
    assert analysis.plan is not None, [str(finding) for finding in analysis.findings]
    fault = write(build(analysis, {}), folder / "bundle")
    assert fault is None, fault
    (found,) = (folder / "bundle").glob("stages/*/plan.json")
    return found


@contextmanager
def _started(
    loops: Sequence[str], setting: Setting, plan: Path, block: int, port: int
) -> Iterator[Mapping[str, list[subprocess.Popen[bytes]]]]:
    """All processes of all loops, each loop a group of its own; they have said all they know before they are ended."""
    started: dict[str, list[subprocess.Popen[bytes]]] = {}
    # One thread a process on a CPU, as the tests of the runtime have it.
    shared = {
        "BENCH_PORT": str(port),
        "TRAINC_RUN_DIR": str(plan.parent / "run"),
        "OMP_NUM_THREADS": "1",
    }
    try:
        for name in loops:
            command = [sys.executable, str(HERE / "contender.py"), name, str(plan), str(block)]
            started[name] = [
                subprocess.Popen(command, env={**os.environ, **shared, **place}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                for place in places(setting.ranks)
            ]
        yield started
    finally:
        for process in (process for group in started.values() for process in group):
            process.kill()
            process.wait()


def _answer(store: dist.Store, key: str, name: str, group: list[subprocess.Popen[bytes]]) -> str:
    """What a loop says; an error where one of its processes has failed."""
    while not store.check([key]):
        failed = [process for process in group if process.poll()]
        if failed:
            raise SystemExit(f"{name} failed: {failed[0].communicate()[1].decode()[-3000:]}")
        time.sleep(LOOK_SECONDS)
    return store.get(key).decode()


def table(setting: Setting, found: Mapping[str, Found], block: int) -> str:
    """The rows of one setting."""
    lines = [
        f"| {setting.name} | tokens/s | ours / it, by the clock | ours / it, by CPU time | peak MiB |",
        "|---|---|---|---|---|",
    ]
    for name, one in found.items():
        rate = setting.tokens_a_step * block / statistics.median(one.seconds)
        ratios = [_ratios(one.seconds, found[OURS].seconds), _ratios(one.cpu_seconds, found[OURS].cpu_seconds)]
        shown = " | ".join(ratios) if name != OURS else "|"
        lines.append(f"| `{name}` | {rate:,.0f} | {shown} | {one.peak_bytes / 2**20:,.0f} |")
    return "\n".join(lines) + "\n"


def _ratios(theirs: list[float], ours: list[float]) -> str:
    """Median, smallest and largest of the rounds."""
    ratios = sorted(other / own for other, own in zip(theirs, ours, strict=True))
    return f"{statistics.median(ratios):.3f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--quick"]
    rounds = QUICK if "--quick" in sys.argv else ROUNDS
    for setting in ON_GPU if torch.cuda.is_available() else ON_CPU:
        if all(word in setting.name for word in words):
            block = BLOCKS[setting.size]
            loops = LOOPS if setting.strategy == "ddp" else (BY_HAND, OURS)
            with tempfile.TemporaryDirectory() as folder:
                print(table(setting, compare(setting, loops, rounds, block, Path(folder)), block), flush=True)


if __name__ == "__main__":
    main()
