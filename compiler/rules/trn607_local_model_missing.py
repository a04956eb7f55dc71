"""TRN607: a local model's folder holds no config.json, or lies outside the spec's folder.

Why: transformers takes a path that is no such folder for a repository of the hub, and every node ends with "is not a local folder
and is not a valid model identifier" (EleutherAI/lm-evaluation-harness#995).
Example:
  model small { source = local { path = "tiny_wieghts" }, tokenizer = pretrained { path = "tiny_weights" } }
Instead:
  model small {
    source    = local { path = "tiny_weights" }
    tokenizer = pretrained { path = "tiny_weights" }
    architecture { layers = 2, hidden = 64, ffn = 128, heads = 4, kv_heads = 2, vocab = 512, tied_embeddings = true }
  }
"""

from __future__ import annotations

import glob
from collections.abc import Iterator

from ..files import SpecFiles
from ..spec import Local, StageSpec
from . import Finding


def check_files(stage: StageSpec, files: SpecFiles) -> Iterator[Finding]:
    """Looks for the configuration that transformers reads first."""
    source = stage.model.source
    if not isinstance(source, Local):
        return
    if files.leaves(source.path):
        yield Finding("model.source.path", f"`{source.path}` lies outside the spec's folder", "move it below the folder")
    elif not files.has_file(f"{glob.escape(source.path)}/config.json"):
        help = "name the folder that holds config.json and the weights; the path is relative to the file it is written in"
        yield Finding("model.source.path", f"`{source.path}` holds no config.json", help)
    elif files.text(f"{source.path}/config.json") is None:
        yield Finding(
            "model.source.path",
            f"config.json of `{source.path}` cannot be read, or a link leads outside of the spec's folder",
            "copy it below the folder; links below it may lead to the weights",
        )
