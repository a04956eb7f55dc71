"""TRN515: `quantization` says otherwise than the config.json of a local model whose weights bitsandbytes has quantised.

Why: such weights are what they are, and the plan counts the bytes that the spec says. transformers lets the file win: a model that
was saved in 8 bits stayed there when 4 were asked for, and ran out of memory (bitsandbytes-foundation/bitsandbytes#831).
Example:
  model few = small {
    source    = local { path = "nf4_weights" }
    tokenizer = pretrained { path = "tiny_weights" }
    architecture { layers = 2, hidden = 64, ffn = 128, heads = 4, kv_heads = 2, vocab = 512, tied_embeddings = true }
  }
  stage tuned = pretrain { model = few, adapter = lora {} }
Instead:
  model few = small {
    source       = local { path = "nf4_weights" }
    tokenizer    = pretrained { path = "tiny_weights" }
    quantization = nf4
    architecture { layers = 2, hidden = 64, ffn = 128, heads = 4, kv_heads = 2, vocab = 512, tied_embeddings = true }
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import quantization
from ..files import SpecFiles
from ..spec import Local, StageSpec
from . import Finding, config_file


def check_files(stage: StageSpec, files: SpecFiles) -> Iterator[Finding]:
    """Compares both settings with what is in the file."""
    source, model = stage.model.source, stage.model
    found = config_file.quantised(files, source.path) if isinstance(source, Local) else None
    if not isinstance(source, Local) or found is None or found.storage is None:
        return
    if model.quantization != found.storage:
        yield _differs(source.path, "quantization", model.quantization, found.storage)
    elif found.double is not None and quantization.double(model) != found.double:
        stated = "false" if found.double else "true"
        yield _differs(source.path, "double_quantization", stated, str(found.double).lower())


def _differs(path: str, field: str, planned: str, found: str) -> Finding:
    place = f"model.{field}"
    return Finding(
        at=place,
        message=f"`{field}` is {planned}, config.json of `{path}` says {found}",
        help=f"set `{field} = {found}`",
        set={place: found},
    )
