"""TRN501: an adapter's target that the model's family has no matrix for, or no targets at all.

Why: names of matrices differ from family to family, and some join several in one; frameworks find out when the weights are loaded,
and not always then (hiyouga/LlamaFactory#4020). The experts of a layer are one parameter, which no adapter of a matrix fits
(huggingface/peft#3009).
Example:
  stage tuned = pretrain { adapter = lora { targets = [qkv, o] } }
Instead:
  stage tuned = pretrain { adapter = lora { targets = [q, k, v, o] } }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..adapters import ALL
from ..families import family
from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks the family for the matrices of a layer."""
    if stage.adapter is None:
        return
    shape = stage.model.architecture
    known = family(shape.family).matrices(shape)
    also = {"model.architecture.family": f"`family` is {shape.family}"}
    there = f"a layer of `{shape.family}` has {', '.join(f'`{name}`' for name in known)}; `{ALL}` is all of them"
    absent = [f"`{name}`" for name in stage.adapter.targets if name != ALL and name not in known]
    if not known:
        message, there = f"no matrix of `{shape.family}` can be adapted yet", "leave `adapter` out, which trains the whole model"
    elif absent:
        message = f"`{shape.family}` has no {', '.join(absent)} to adapt"
    elif not stage.adapter.targets:
        message = "an adapter without targets trains nothing"
    else:
        return
    yield Finding(at="adapter.targets", message=message, help=there, also=also)
