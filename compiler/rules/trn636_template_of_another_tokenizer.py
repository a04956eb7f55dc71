"""TRN636: a chat template that writes special tokens which the tokenizer beside the weights does not know.

Why: they would be cut into ordinary pieces, so that the model neither begins nor ends turns as it learnt to: such models do not
stop, and say nothing about it (unslothai/unsloth#915).
Example:
  model known = small { source = local { path = "tiny_chat" }, tokenizer = pretrained { path = "tiny_chat" } }
  data chats { train = jsonl { path = "corpus/chats.jsonl" }, format = chat, chat_template = llama3, holdout = 5%, sequence = 2048 }
  stage tuned = pretrain { model = known, data = chats, objective = sft }
Instead:
  data chats { train = jsonl { path = "corpus/chats.jsonl" }, format = chat, chat_template = chatml, holdout = 5%, sequence = 2048 }
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .. import chat_templates
from ..files import SpecFiles
from ..spec import Local, Pretrained, StageSpec
from . import Finding

# As the runtime finds them: `runtime/data/templates.py`.
MARKER = re.compile(r"<\|[A-Za-z0-9_:.-]+\|>")


def check_files(stage: StageSpec, files: SpecFiles) -> Iterator[Finding]:
    """Compares the template with a tokenizer that lies below the spec's folder."""
    folder, source = _tokenizer_folder(stage), chat_templates.text(stage.data.chat_template, files)
    if folder is None or source is None or stage.data.format != "chat":
        return
    known = _known(files.text(f"{folder}/tokenizer.json"))
    unknown = sorted(set(MARKER.findall(source)) - known) if known is not None else []
    if unknown:
        yield Finding(
            at="data.chat_template",
            message=f"the template writes {', '.join(unknown)}, which the tokenizer of `{folder}` does not know",
            help="choose the template that the model was trained with, or `plain`; leave it out for the tokenizer's own",
        )


def _tokenizer_folder(stage: StageSpec) -> str | None:
    model = stage.model
    if isinstance(model.tokenizer, Pretrained):
        return model.tokenizer.path
    return model.source.path if model.tokenizer is None and isinstance(model.source, Local) else None


def _known(text: str | None) -> set[str] | None:
    """The entries of a tokenizer.json; None where it cannot be read."""
    try:
        content = json.loads(text or "")
        return {entry["content"] for entry in content["added_tokens"]} | set(content["model"]["vocab"])
    except (ValueError, KeyError, TypeError):
        return None
