"""Prints the planner's peak memory beside a trace on fake tensors, for large models on many ranks.

No device is needed: some minutes on one core. Give words to trace only the cases that contain them all: `memory.py 8B 64`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LLAMA_8B = {"family": "llama", "layers": 32, "hidden": 4096, "ffn": 14336, "heads": 32, "kv_heads": 8}
LLAMA_8B |= {"vocab": 128256, "max_sequence": 131072}
LLAMA_70B = LLAMA_8B | {"layers": 80, "hidden": 8192, "ffn": 28672, "heads": 64}
FSDP2 = {"strategy": "fsdp2", "compute": "bf16", "sequence": 4096, "fake": True}
QLORA = {"adapter": {"name": "lora"}, "quantization": "nf4"}
CASES = {
    "8B, 8 ranks, full recompute": {"architecture": LLAMA_8B, "ranks": 8, "recompute": "full"},
    "8B, 8 ranks": {"architecture": LLAMA_8B, "ranks": 8},
    "8B, 8 ranks, 4 accumulated": {"architecture": LLAMA_8B, "ranks": 8, "recompute": "full", "accumulation": 4},
    "8B, 64 ranks, full recompute": {"architecture": LLAMA_8B, "ranks": 64, "recompute": "full"},
    "8B, 64 ranks": {"architecture": LLAMA_8B, "ranks": 64},
    "70B, 64 ranks, full recompute": {"architecture": LLAMA_70B, "ranks": 64, "recompute": "full"},
    "70B, 64 ranks": {"architecture": LLAMA_70B, "ranks": 64},
    "8B, 8 ranks, lora on nf4, full recompute": {"architecture": LLAMA_8B, "ranks": 8, "recompute": "full", **QLORA},
    "8B, 8 ranks, lora on nf4": {"architecture": LLAMA_8B, "ranks": 8, **QLORA},
}


def compare(case: dict[str, object]) -> dict[str, int]:
    """Predicted and traced bytes, from a process of its own."""
    command = [sys.executable, str(ROOT / "benchmarks/traced_step.py"), json.dumps([FSDP2 | case])]
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".src")}
    result = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)[0]
    return {"predicted": result["predicted"], "traced": result["traced"]}


def main() -> None:
    print("| Llama, fsdp2, bf16, sequence 4,096, micro-batch 1 | predicted GiB | traced GiB | |\n|---|---|---|---|")
    for name, case in CASES.items():
        if not all(word in name for word in sys.argv[1:]):
            continue
        found = compare(case)
        predicted, traced = found["predicted"] / 2**30, found["traced"] / 2**30
        print(f"| {name} | {predicted:.2f} | {traced:.2f} | {predicted / traced - 1:+.1%} |", flush=True)


if __name__ == "__main__":
    main()
