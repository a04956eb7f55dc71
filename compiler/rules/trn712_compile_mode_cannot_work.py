"""TRN712: a `compile_mode` that cannot work.

Why: it says how layers are compiled, and without `compile` nothing is. CUDA graphs, which `reduce_overhead` records, need a GPU,
and they break off where a layer is computed again: a graph sees other tensors freed when it replays than when it was recorded
(pytorch/pytorch#154306, bghira/SimpleTuner#3155).
Example:
  stage fast = pretrain { compile = true, compile_mode = reduce_overhead, recompute = full }
Instead:
  stage fast = pretrain { compile = true, compile_mode = reduce_overhead }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks that layers are compiled, and for graphs a GPU and no recomputation."""
    mode, gpu = stage.compile_mode, stage.mesh.cluster.gpu
    if mode != "default" and not stage.compile:
        yield Finding(
            "compile_mode", f"`compile_mode` {mode} does nothing without `compile`", "set `compile = true`, or leave it out"
        )
    elif mode == "reduce_overhead" and gpu.vendor in ("cpu", "any"):
        yield Finding(
            at="compile_mode",
            message=f"`reduce_overhead` records CUDA graphs, `{gpu.name}` {'is' if gpu.vendor == 'cpu' else 'may be'} a CPU",
            help="leave `compile_mode` out",
            also={"mesh.cluster.gpu.vendor": f"`vendor` is {gpu.vendor}"},
            set={"compile_mode": "default"},
        )
    elif mode == "reduce_overhead" and stage.recompute != "none":
        yield Finding(
            at="compile_mode",
            message="`reduce_overhead` records CUDA graphs, which cannot hold a layer that is computed again",
            help="leave `compile_mode` out, or set `recompute = none`",
            also={"recompute": f"`recompute` is {stage.recompute}"},
        )
