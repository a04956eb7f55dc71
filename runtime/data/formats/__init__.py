"""What a row says, and the document that it becomes: one file a format."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ...errors import StageError
from ...planfile import RunData
from . import chat, completion, text
from .document import Document, Template

FORMATS: dict[str, ModuleType] = {"text": text, "completion": completion, "chat": chat}

__all__ = ["Document", "Format", "Template", "chosen", "said"]


@dataclass(frozen=True, slots=True)
class Format:
    """`read` takes a row's values and the columns' names; `document` makes of what was read the text to learn from.

    Both raise BrokenRowError. `whole` documents are never cut, nor joined with others in a sample unless they are packed.
    """

    read: Callable[[dict[str, Any], dict[str, str]], Any]
    document: Callable[[Any, Template], Document]
    whole: bool


def chosen(data: RunData) -> Format:
    """The format of a plan's data."""
    if data.format not in FORMATS:
        raise StageError(f"the plan's data has the format `{data.format}`, this runtime knows {', '.join(FORMATS)}")
    module = FORMATS[data.format]
    return Format(module.read, module.document, whole=data.format != "text")


def said(content: Any) -> str:
    """What a row says as one text: copies say the same."""
    return content if isinstance(content, str) else json.dumps(content, sort_keys=True, ensure_ascii=False)
