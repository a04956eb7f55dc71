"""A document a row."""

from __future__ import annotations

from typing import Any

from .document import Document, Template, text_of


def read(values: dict[str, Any], columns: dict[str, str]) -> str | None:
    """The text; None where there is none."""
    return text_of(values, columns["text"]) or None


def document(content: str, template: Template) -> Document:
    """All of it is learnt."""
    return Document(content)
