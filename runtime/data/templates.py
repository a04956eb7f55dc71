"""The template that conversations are written with, and the special tokens in it."""

from __future__ import annotations

import re
from dataclasses import replace

from transformers import PreTrainedTokenizerFast

from ..errors import StageError
from ..planfile import RunData
from .broken import BrokenRowError
from .formats import Template, chat
from .tokenizer import END_OF_TEXT

ANSWER = "Yes."
EXCHANGE = [{"role": "user", "content": "Well?"}, {"role": "assistant", "content": ANSWER}]
# Words that templates of chat models set apart from text.
MARKER = re.compile(r"<\|[A-Za-z0-9_:.-]+\|>")


def template_of(data: RunData, pretrained: PreTrainedTokenizerFast | None, named: str | None) -> Template:
    """The template `named` by the spec, or the tokenizer's own; refuses one whose special tokens would be cut into pieces."""
    if data.format != "chat":
        return Template("", {}, data.completions_only)
    source = named or (pretrained.chat_template if pretrained else None)
    if not isinstance(source, str):
        raise StageError("the tokenizer brings no chat template: name one with `chat_template`")
    special_tokens = pretrained.special_tokens_map if pretrained else {"bos_token": END_OF_TEXT, "eos_token": END_OF_TEXT}
    unknown = [marker for marker in markers(source) if pretrained and not _is_one_token(pretrained, marker)]
    if unknown:
        raise StageError(
            f"the chat template writes {', '.join(unknown)}, which the tokenizer does not know and would cut into pieces: "
            "choose the template that the model was trained with, or `plain`"
        )
    return Template(source, special_tokens, data.completions_only)


def turn_end(template: Template, made: PreTrainedTokenizerFast) -> int | None:
    """The token that ends an answer, where the template has one: who generates must stop at it."""
    if not template.source:
        return None
    try:
        document = chat.document(EXCHANGE, replace(template, completions_only=True))
    except BrokenRowError:
        return None
    ends = [document.text[:end].rpartition(ANSWER)[2].strip() for _, end in document.learnt or ()]
    tokens = made.encode(ends[-1], add_special_tokens=False) if ends else []
    return tokens[0] if len(tokens) == 1 else None


def markers(source: str) -> list[str]:
    """The special tokens that a template spells out."""
    return sorted(set(MARKER.findall(source)))


def _is_one_token(made: PreTrainedTokenizerFast, marker: str) -> bool:
    return made.backend_tokenizer.token_to_id(marker) is not None
