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

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path

from ..spec import Local, StageSpec
from . import Finding


def check_files(stage: StageSpec, folder: Path) -> Iterator[Finding]:
    """Looks for the configuration that transformers reads first."""
    source = stage.model.source
    if not isinstance(source, Local):
        return
    if posixpath.isabs(source.path) or source.path.split("/")[0] == "..":
        yield Finding("model.source.path", f"`{source.path}` lies outside the spec's folder", "move or link it below the folder")
    elif not os.path.isfile(folder / source.path / "config.json"):
        help = "name the folder that holds config.json and the weights; the path is relative to the file it is written in"
        yield Finding("model.source.path", f"`{source.path}` holds no config.json", help)
