"""The rows of the parity matrix: ways to spread one small training, each compiled from a spec and launched as its bundle is."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import warm
from rhymes import write_corpus
from trainc.compiler.bundle import write
from trainc.compiler.cli.compile import build
from trainc.compiler.driver import analyse

SOURCES = Path(__file__).resolve().parents[2] / ".src"
STEPS = 10
TIMEOUT_SECONDS = 300
AXES = ("dp_replicate", "dp_shard", "cp", "tp", "pp", "ep")

SPEC = """
import std.gpus

cluster here {{ gpu = gpus.host, gpus_per_node = {ranks} }}

model small {{
  source    = random
  tokenizer = bpe
  architecture {{ {architecture} }}
  attention = {attention}
}}

data rhymes {{ train = {documents}, holdout = 10%, sequence = 32, packing = {packing} }}

mesh ranks {{ cluster = here, {mesh} }}

stage train {{
  model     = small
  data      = rhymes
  mesh      = ranks
  precision {{ compute = {compute} }}
  strategy  = {strategy}
  batch     {{ global = 8, micro = {micro} }}
  optimizer = adamw {{ lr = 1e-3 }}
  schedule  = cosine {{ warmup = 2 steps, floor = 10% }}
  duration  = {steps} steps
  clip      = 0.5
  recompute = {recompute}
  seed      = 7
  eval       {{ every = 5 steps, batches = 2 }}
  checkpoint {{ every = {steps} steps }}
  logging    {{ tensorboard = false }}
  {more}
}}
"""
DENSE = "family = llama, layers = 4, hidden = 64, ffn = 128, heads = 4, kv_heads = 2, vocab = 512, max_sequence = 64"


@dataclass(frozen=True, eq=False)
class Row:
    """One way to spread; `mesh` holds degrees and the mesh's other fields."""

    strategy: str = "fsdp2"
    mesh: dict[str, Any] = field(default_factory=dict)
    micro: int = 1
    recompute: str = "none"
    compute: str = "fp32"
    attention: str = "sdpa"
    architecture: str = DENSE
    packing: bool = False
    more: str = ""

    @property
    def ranks(self) -> int:
        """Processes; ep lies inside the data-parallel ranks."""
        return math.prod(self.mesh.get(axis, 1) for axis in AXES if axis != "ep")

    @property
    def name(self) -> str:
        """All that sets it apart."""
        degrees = " ".join(f"{name}={_written(value)}" for name, value in self.mesh.items())
        extras = [self.recompute] if self.recompute != "none" else []
        extras += [self.compute] if self.compute != "fp32" else []
        extras += [self.attention] if self.attention != "sdpa" else []
        extras += ["packing"] if self.packing else []
        extras += [self.more] if self.more else []
        extras += [self.family] if self.architecture != DENSE else []
        return " ".join([self.strategy, degrees, f"micro={self.micro}", *extras])

    @property
    def family(self) -> str:
        """The model's family."""
        return self.architecture.removeprefix("family = ").split(",")[0]

    @property
    def traits(self) -> frozenset[str]:
        """What a choice of rows should touch at least once."""
        mesh = {name for name, value in self.mesh.items() if value not in (1, False) and name in AXES}
        settings = {f"{name}={value}" for name, value in self.mesh.items() if name not in AXES}
        kinds = {self.strategy, self.recompute, self.compute, self.attention, self.more, f"ranks={self.ranks}"}
        return frozenset({*kinds, *mesh, *settings, f"packing={self.packing}"})

    @property
    def tolerance(self) -> float:
        """How far a loss may lie from the reference's, which is computed in fp32."""
        return 1e-5 if self.compute == "fp32" else 2e-2

    @property
    def norm_tolerance(self) -> float:
        """The same for a gradient's norm."""
        return 1e-4 if self.compute == "fp32" else 2e-2

    @property
    def reference(self) -> Row:
        """One process, the same model and data."""
        return Row(strategy="ddp", micro=1, architecture=self.architecture, attention=self.attention, packing=self.packing)

    def spec(self) -> str:
        """The whole spec."""
        mesh = ", ".join(f"{name} = {_written(value)}" for name, value in self.mesh.items()) or "dp_shard = 1"
        return SPEC.format(
            ranks=self.ranks,
            architecture=self.architecture,
            attention=self.attention,
            mesh=mesh,
            compute=self.compute,
            strategy=self.strategy,
            micro=self.micro,
            documents='jsonl { path = "corpus/*.jsonl" }' if self.packing else 'text { path = "corpus/*.txt" }',
            packing=_written(self.packing),
            recompute=self.recompute,
            more=self.more,
            steps=STEPS,
        )


@dataclass(frozen=True)
class Measured:
    """What a run wrote: losses and gradient norms by step, held-out losses."""

    losses: Sequence[float]
    norms: Sequence[float]
    heldout: Sequence[float]


def measure(row: Row, root: Path) -> Measured:
    """Compiles the row's spec below `root` and runs its bundle; what it printed is the error of a run that fails."""
    if not (root / "corpus").exists():
        write_corpus(root / "corpus")
    here = root / "".join(letter if letter.isalnum() else "-" for letter in row.name)
    here.mkdir()
    spec = root / f"{here.name}.train"
    spec.write_text(row.spec(), encoding="utf-8")
    found = analyse(spec, {})
    assert found.plan is not None, [finding.message for finding in found.findings]
    write(build(found, {}), here / "bundle")
    (stage,) = (here / "bundle" / "stages").iterdir()
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "TRAINC_RUN_DIR": str(here / "run"),
        "TRAINC_DATA_ROOT": str(root),
        "TRAINC_CACHE_DIR": str(root / "cache"),
    }
    done = warm.run(stage / "train.py", row.ranks, environment, TIMEOUT_SECONDS)
    logs = "".join(log.read_text(encoding="utf-8")[-3000:] for log in sorted((here / "run" / "log").glob("*.log")))
    assert done.returncode == 0, done.stderr[-3000:] + logs
    assert (here / "run" / "export" / "model.safetensors").is_file()
    metrics, events = (_lines(here / "run" / name) for name in ("metrics.jsonl", "events.jsonl"))
    return Measured(
        losses=[entry["loss"] for entry in metrics],
        norms=[entry["grad_norm"] for entry in metrics],
        heldout=[entry["loss"] for entry in events if entry["event"] == "evaluation"],
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
