"""TRN235: context parallelism for a model whose attention is bounded: by a window shorter than the sequence, or by a soft cap.

Why: attention over ranks sees everything up to a token's place and leaves scores as they are; a window that is not passed on to it
is dropped with a warning at most, and another model is trained (Qihoo360/360-LLaMA-Factory#73).
Example:
  mesh wide { dp_shard = 8, cp = 2 }
  model small { architecture { family = mistral, sliding_window = 1024 } }
Instead:
  mesh wide { dp_shard = 16, cp = 1 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for attention that looks back as far as it can."""
    mesh, architecture = stage.mesh, stage.model.architecture
    window = architecture.sliding_window
    if mesh.cp == 1:
        return
    if window is not None and window < stage.data.sequence:
        field, fault = "sliding_window", f"`sliding_window` {window} of `{stage.model.name}` is shorter than the sequence"
    elif not family(architecture.family).fused_attention:
        field, fault = "family", f"attention of a `{architecture.family}` bounds its scores"
    else:
        return
    yield Finding(
        at="mesh.cp",
        message=f"{fault}, which `cp` {mesh.cp} does not know",
        help="set `cp = 1`, and split by `dp_shard`, or by `tp` with `sequence_parallel`",
        also={f"model.architecture.{field}": f"`{field}` is {getattr(architecture, field)}"},
    )
