"""The text of the chat templates that a spec names."""

from __future__ import annotations

from .files import SpecFiles
from .loader import STDLIB
from .spec import ChatTemplate, JinjaTemplate

# Its name in a stage's folder of a bundle.
FILE = "chat_template.jinja"


def text(template: ChatTemplate | None, files: SpecFiles) -> str | None:
    """The template's text: a user's own from below the spec's folder, the others' from the standard library."""
    if template is None:
        return None
    if isinstance(template, JinjaTemplate):
        return files.text(template.path)
    return (STDLIB / "templates" / f"{template.variant}.jinja").read_text(encoding="utf-8")
