"""TRN414: a matrix, or a micro-batch, whose size fp8 units cannot take.

Why: they multiply blocks of 16; the first forward pass, or for the number of tokens the first backward pass, ends with "Expected
trailing dimension of mat1 to be divisible by 16" (pytorch/ao#571, pytorch/ao#3111).
Example:
  precision mixed { compute = fp8 }
  model small { architecture { ffn = 8200 } }
Instead:
  model small { architecture { ffn = 8208 } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..planner.batch import plan_batch
from ..planner.share import of_one_rank
from ..spec import ArchitectureSpec, StageSpec
from . import Finding

BLOCK = 16

MESSAGE = f"is no multiple of {BLOCK}, as fp8 needs"


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that what one rank multiplies are whole blocks; other rules speak where tp does not divide."""
    if stage.precision.compute != "fp8":
        return
    tp = stage.mesh.tp
    for field, size in _widths(of_one_rank(stage).model.architecture):
        if size % BLOCK:
            share = f", split over `tp` {tp}," if tp > 1 and field != "hidden" else ""
            yield Finding(
                at=f"model.architecture.{field}",
                message=f"`{field}`{share} makes matrices {size} wide, which {MESSAGE}",
                help=f"{_way_out(stage, field)}, or compute in bf16",
                also={"precision.compute": "`compute` is fp8"},
            )
    batch = plan_batch(stage.batch, stage.mesh.data_parallel)
    cp = stage.mesh.cp
    tokens = batch.micro * stage.data.sequence // cp if batch else 0
    if tokens % BLOCK:
        unit, share = BLOCK * cp, f" on each of `cp` {cp} ranks" if cp > 1 else ""
        yield Finding(
            at="data.sequence",
            message=f"a micro-batch of {tokens} tokens{share} {MESSAGE}",
            help=f"set `sequence = {-(-stage.data.sequence // unit) * unit}`",
            also={"precision.compute": "`compute` is fp8"},
        )


def _way_out(stage: StageSpec, field: str) -> str:
    if field != "ffn":
        return f"choose another `{field}`"
    unit = BLOCK * stage.mesh.tp
    return f"set `ffn = {-(-stage.model.architecture.ffn // unit) * unit}`"


def _widths(own: ArchitectureSpec) -> Iterator[tuple[str, int]]:
    """The sides of a rank's matrices, and the fields that decide them."""
    width = own.head_dim or own.hidden // own.heads
    yield "hidden", own.hidden
    yield "ffn", own.ffn
    yield "heads", own.heads * width
    if own.kv_heads:
        yield "kv_heads", own.kv_heads * width
