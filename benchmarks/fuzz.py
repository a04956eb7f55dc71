"""Mutates the bytes of every `.train` file here and compiles the result: no input may raise, or take longer than a second.

`fuzz.py COUNT [SEED]`: COUNT inputs over as many processes as the machine has cores. What fails is kept, and its path printed.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("examples", "stdlib", "tests")
LIMIT_SECONDS = 1.0
# What a single byte seldom makes: the language's own marks and words, and text that is hard to decode or to measure.
PIECES = [
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b"(",
        b")",
        b'"',
        b'"""',
        b"${",
        b"=",
        b"==",
        b",",
        b".",
        b"#",
        b"##",
        b"%",
        b"-",
        b"\n",
        b"\r\n",
        b"\t",
    ),
    *(
        b" { ",
        b" = ",
        b"let ",
        b"param ",
        b"import ",
        b"assert ",
        b"stage s {\n",
        b"mesh ",
        b"if ",
        b" then ",
        b" else ",
        b" and ",
        b"not ",
    ),
    *(
        b"auto",
        b"none",
        b"true",
        b"0",
        b"-1",
        b"1e308",
        b"9" * 400,
        b"3%",
        b"80GiB",
        b"1 / 0",
        b"sft.model",
        b"# trainc: allow TRN303 -- x",
    ),
    *(
        "é".encode(),
        "漢字".encode(),
        "e\u0301".encode(),
        "\U0001f600".encode(),
        "\u202e".encode(),
        b"\x00",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
    ),
]


@dataclass(frozen=True, slots=True)
class Share:
    """One process's part of the inputs: every input whose number leaves the rest `index` when divided by `shares`."""

    index: int
    shares: int
    count: int
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one process saw: how many inputs, how many of them compiled, the slowest in seconds, and the inputs that failed."""

    inputs: int
    clean: int
    slowest: float
    failures: tuple[str, ...]


def mutated(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """The bytes after one to four changes: cut, repeated, flipped, or with a piece of this or another file put in."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(content) + 1)
        end = min(len(content), start + int(chance.expovariate(1 / 6)))
        source = chance.choice((content, other))
        begin = chance.randrange(len(source) + 1)
        inserted = chance.choice(
            (
                b"",
                content[start:end] * 2,
                bytes([chance.randrange(256)]),
                chance.choice(PIECES),
                source[begin : begin + chance.randint(1, 60)],
            )
        )
        content = content[:start] + inserted + content[end:]
    return content


def attack(share: Share) -> Outcome:
    """Compiles one process's share of the inputs."""
    sys.path.insert(0, str(ROOT / ".src"))
    from trainc.compiler.driver import analyse
    from trainc.compiler.reading import UnreadableError
    from trainc.dsl.render_text import render_text

    chance = random.Random(f"{share.seed} {share.index}")
    inputs = range(share.index, share.count, share.shares)
    corpus = [
        path.read_bytes() for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.train")) if path.stat().st_size < 20_000
    ]
    clean, slowest, failures = 0, 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spec.train"
        for _ in inputs:
            content = mutated(chance.choice(corpus), chance.choice(corpus), chance)
            path.write_bytes(content)
            started, failure = time.process_time(), ""
            try:
                findings = analyse(path, {}).findings
                render_text(findings)
                clean += not findings
            except UnreadableError:
                pass
            except Exception:  # noqa: BLE001 - any other is what is looked for
                failure = traceback.format_exc()
            seconds = time.process_time() - started
            slowest = max(slowest, seconds)
            if failure or seconds > LIMIT_SECONDS:
                failures.append(kept(content, failure or f"{seconds:.2f} s"))
    return Outcome(len(inputs), clean, slowest, tuple(failures))


def kept(content: bytes, why: str) -> str:
    """Writes an input that failed to a file; says where, and why it is there."""
    descriptor, path = tempfile.mkstemp(suffix=".train", prefix="fuzz-")
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
    return f"{path}: {why}"


def main() -> None:
    """Runs and reports; exits with 1 where an input failed."""
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    shares = os.cpu_count() or 1
    with multiprocessing.get_context("spawn").Pool(shares) as pool:
        outcomes = pool.map(attack, [Share(index, shares, count, seed) for index in range(shares)])
    failures = [failure for outcome in outcomes for failure in outcome.failures]
    print(*failures, sep="\n", end="\n" if failures else "")
    inputs, clean = sum(outcome.inputs for outcome in outcomes), sum(outcome.clean for outcome in outcomes)
    slowest = max(outcome.slowest for outcome in outcomes)
    print(
        f"{inputs:,} inputs, {clean:,} without findings, {len(failures)} failed, slowest {1000 * slowest:.0f} ms of processor time"
    )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
