"""What is compared: a model, a batch and processes, as a spec."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / ".src"
sys.path.insert(0, str(SOURCES))

SPEC = """
import std.gpus

cluster here {{ gpu = gpus.host, gpus_per_node = {ranks} }}

model measured {{
  source    = random
  tokenizer = bpe
  architecture {{ {architecture} }}
}}

# Its documents are never read: every loop has the same random tokens in memory.
data tokens {{ train = python_stdlib, holdout = 1%, sequence = {sequence}, shuffle = false }}

mesh ranks {{ cluster = here, {axis} = {ranks} }}

stage train {{
  model      = measured
  data       = tokens
  mesh       = ranks
  precision  {{ compute = {compute} }}
  strategy   = {strategy}
  batch      {{ global = {batch}, micro = {micro} }}
  optimizer  = adamw {{ lr = 1e-3 }}
  schedule   = constant {{ warmup = 0 steps }}
  duration   = {steps} steps
  clip       = 1.0
  seed       = 7
  checkpoint {{ every = {steps} steps }}
  logging    {{ every = {logged} steps, tensorboard = false }}
}}
"""
# `tiny` is all overhead of Python and of small kernels, `small` has 10.2 million parameters, `large` (1.1 billion) is for GPUs.
ARCHITECTURES = {
    "tiny": "layers = 2, hidden = 64, ffn = 128, heads = 4, kv_heads = 2, vocab = 512",
    "small": "layers = 6, hidden = 320, ffn = 896, heads = 5, kv_heads = 5, vocab = 4096",
    "large": "layers = 22, hidden = 2048, ffn = 5632, heads = 32, kv_heads = 4, vocab = 32000",
}


@dataclass(frozen=True)
class Setting:
    """One comparison; `logged` is how many steps lie between two losses that are read."""

    size: str
    ranks: int
    strategy: str = "ddp"
    micro: int = 4
    accumulation: int = 1
    sequence: int = 128
    compute: str = "fp32"
    steps: int = 100
    logged: int = 10

    @property
    def name(self) -> str:
        """What sets it apart."""
        batch = f"micro {self.micro} x {self.sequence}"
        return f"{self.size}, {self.strategy} x{self.ranks}, {batch}, accumulation {self.accumulation}, {self.compute}"

    @property
    def tokens_a_step(self) -> int:
        """Over all ranks."""
        return self.micro * self.accumulation * self.ranks * self.sequence

    def spec(self) -> str:
        """The whole spec."""
        return SPEC.format(
            ranks=self.ranks,
            architecture=f"family = llama, {ARCHITECTURES[self.size]}, max_sequence = {self.sequence}",
            sequence=self.sequence,
            axis="dp_replicate" if self.strategy == "ddp" else "dp_shard",
            compute=self.compute,
            strategy=self.strategy,
            batch=self.micro * self.accumulation * self.ranks,
            micro=self.micro,
            steps=self.steps,
            logged=self.logged,
        )
