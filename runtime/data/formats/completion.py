"""A prompt and what follows it."""

from __future__ import annotations

from typing import Any

from ..broken import BrokenRowError
from .document import Document, Template, text_of


def read(values: dict[str, Any], columns: dict[str, str]) -> list[str]:
    """Prompt and completion."""
    prompt, completion = (text_of(values, columns[name]) for name in ("prompt", "completion"))
    if not completion:
        raise BrokenRowError(f": column `{columns['completion']}` is empty")
    return [prompt, completion]


def document(content: list[str], template: Template) -> Document:
    """The completion is learnt, with the end of the text."""
    prompt, completion = content
    whole = prompt + completion
    return Document(whole, ((len(prompt), len(whole)),) if template.completions_only else None, begins=True)
