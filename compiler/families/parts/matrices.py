"""The matrices of a decoder layer by short names, which adapters aim at."""

from __future__ import annotations

from dataclasses import dataclass

# Short name: entries of the input and of the output.
Linears = dict[str, tuple[int, int]]

# What Llama and its relatives call theirs, from the layer down.
LLAMA = {
    "q": "self_attn.q_proj",
    "k": "self_attn.k_proj",
    "v": "self_attn.v_proj",
    "qkv": "self_attn.qkv_proj",
    "o": "self_attn.o_proj",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "gate_up": "mlp.gate_up_proj",
    "down": "mlp.down_proj",
}


@dataclass(frozen=True, slots=True)
class Matrix:
    """One matrix of a layer: the part of the model, its module's name from the layer down, entries of what it reads and makes."""

    part: str
    path: str
    inputs: int
    outputs: int
