"""Conversations, written out by a chat template.

What is learnt are the assistant's messages, up to and with the token that ends them. Where the template marks them
(`{% generation %}`) its marks hold; elsewhere they are what it adds to the prompt that a model would be given at that place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jinja2
from transformers.utils.chat_template_utils import render_jinja_template

from ..broken import BrokenRowError
from .document import Document, Template, shown, value_of

ASSISTANT = "assistant"
# ShareGPT's words for what others call role and content.
ROLES = {"human": "user", "gpt": ASSISTANT}
MARKS = re.compile(r"\{%-?\s*generation\s*-?%\}")

Message = dict[str, Any]


def read(values: dict[str, Any], columns: dict[str, str]) -> list[Message]:
    """The messages, each with `role` and `content`."""
    column = columns["messages"]
    found = value_of(values, column)
    if not isinstance(found, list) or not found:
        raise BrokenRowError(f": column `{column}` holds {shown(found)}, not a list of messages")
    return [_message(message, place, column) for place, message in enumerate(found)]


def _message(message: Any, place: int, column: str) -> Message:
    if isinstance(message, dict) and "from" in message:
        message = {"role": ROLES.get(message["from"], message["from"]), "content": message.get("value")}
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise BrokenRowError(f": message {place} of `{column}` is {shown(message)}, which has no role")
    if not isinstance(message.get("content"), str) and not message.get("tool_calls"):
        raise BrokenRowError(f": message {place} of `{column}` holds {shown(message.get('content'))}, not text")
    return message


def document(content: list[Message], template: Template) -> Document:
    """A conversation ends as its template ends it."""
    try:
        if not template.completions_only:
            return Document(_written(content, template), ends=False)
        if MARKS.search(template.source):
            return _marked(content, template)
        return Document(_written(content, template), tuple(_answers(content, template)), ends=False)
    except (jinja2.TemplateError, TypeError) as fault:
        raise BrokenRowError(f" does not fit the chat template: {fault}") from fault


def _written(messages: list[Message], template: Template, asks: bool = False) -> str:
    """The conversation as text; with `asks` it goes on with what begins an answer."""
    texts, _ = render_jinja_template([messages], None, None, template.source, add_generation_prompt=asks, **template.special_tokens)
    return str(texts[0])


def _marked(messages: list[Message], template: Template) -> Document:
    texts, marks = render_jinja_template(
        [messages], None, None, template.source, return_assistant_tokens_mask=True, **template.special_tokens
    )
    return Document(texts[0], tuple((start, end) for start, end in marks[0]), ends=False)


def _answers(messages: list[Message], template: Template) -> Iterator[tuple[int, int]]:
    whole = _written(messages, template)
    for place, message in enumerate(messages):
        if message["role"] == ASSISTANT:
            prompt, answered = _written(messages[:place], template, asks=True), _written(messages[: place + 1], template)
            if not (answered.startswith(prompt) and whole.startswith(answered)):
                raise BrokenRowError(
                    f": the chat template writes message {place} otherwise once others follow, which hides what is learnt: "
                    "mark answers in it with {% generation %}, or set `completions_only = false`"
                )
            # Line ends after the end of a turn are the next turn's.
            yield len(prompt), max(len(prompt), len(answered.rstrip()))
