"""TRN239: a local model whose config.json says that its weights are quantised, other than by bitsandbytes in nf4 or int8.

Why: what trains are full matrices, and a quantised one means nothing without its scales: weights that were read without them were
about 200 times too large, and the model knew nothing any more (unslothai/unsloth#6200). DeepSeek-V3 is published in fp8. Of
bitsandbytes' own formats the scales are known: an adapter trains beside those (TRN515).
Example:
  model small {
    source    = local { path = "quantised_weights" }
    tokenizer = pretrained { path = "tiny_weights" }
    architecture { layers = 2, hidden = 64, ffn = 128, heads = 4, kv_heads = 2, vocab = 512, tied_embeddings = true }
  }
Instead:
  model small {
    source    = local { path = "tiny_weights" }
    tokenizer = pretrained { path = "tiny_weights" }
    architecture { layers = 2, hidden = 64, ffn = 128, heads = 4, kv_heads = 2, vocab = 512, tied_embeddings = true }
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..files import SpecFiles
from ..spec import Local, StageSpec
from . import Finding, config_file


def check_files(stage: StageSpec, files: SpecFiles) -> Iterator[Finding]:
    """Looks for what transformers writes beside quantised weights."""
    source = stage.model.source
    if not isinstance(source, Local):
        return
    found = config_file.quantised(files, source.path)
    if found is not None and found.storage is None:
        yield Finding(
            at="model.source.path",
            message=f"the weights of `{source.path}` are quantised ({found.method}), and training changes full matrices",
            help="convert them to bf16 first, and remove `quantization_config` from config.json",
        )
