"""Makes sound specs of any length: groups of a cluster, data, a mesh, a precision, a stage and an assertion."""

from __future__ import annotations

_HEAD = "import std.gpus\nimport std.models.tiny\n"
_GROUP = """
## Machines of group {index}.
cluster pool_{index} {{
  gpu           = gpus.h100_sxm
  nodes         = 2
  gpus_per_node = 8
  inter_node    = 400 Gb/s
}}

data corpus_{index} {{
  train    = python_stdlib
  holdout  = 5%  # whole files
  sequence = 512
}}

mesh wide_{index} {{
  cluster      = pool_{index}
  dp_replicate = 2
  dp_shard     = 8
}}

precision mixed_{index} {{
  compute = bf16
}}

let rate_{index} = 3e-4 * 2

stage pretrain_{index} {{
  model      = tiny.llama_1m
  data       = corpus_{index}
  mesh       = wide_{index}
  precision  = mixed_{index}
  strategy   = fsdp2
  batch      {{ global = 64, micro = 2 }}
  optimizer  = adamw {{ lr = rate_{index}, weight_decay = 0.1, betas = [0.9, 0.95] }}
  schedule   = cosine {{ warmup = 5%, floor = 10% }}
  duration   = 2_000 steps
  clip       = 1.0
  recompute  = full
  eval       {{ every = 100 steps, batches = 8 }}
  checkpoint {{ every = 200 steps, keep = 2 }}
}}

assert pretrain_{index}.batch.accumulation == 2 else "the batch recipe changed"
"""


def spec(lines: int, faults: int = 0) -> str:
    """A spec of about so many lines, in whose first groups so many fields are misspelt."""
    count = max(1, round((lines - 2) / _GROUP.count("\n")))
    groups = [_GROUP.format(index=index) for index in range(count)]
    broken = [group.replace("sequence =", "sequense =") for group in groups[:faults]]
    return _HEAD + "".join([*broken, *groups[faults:]])
