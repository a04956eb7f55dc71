"""Reads what rows say, and makes documents of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..planfile import RunData, RunSource
from .broken import Broken
from .formats import Document, Format, Template, chosen
from .sources import TEXT, rows


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads in one format below a folder; `template` is the text of the spec's own, `broken` collects the rows of no use."""

    data: RunData
    root: Path
    format: Format
    template: str | None
    broken: Broken

    def contents(self, source: RunSource) -> Iterator[tuple[str, Any]]:
        """Each row's place and what it says; empty texts are left out."""
        columns = {**self.data.columns, "text": source.column or TEXT}
        for row in rows(source, self.root, self.broken):
            content = self.broken.attempt(row.place, partial(self.format.read, row.values, columns))
            if content is not None:
                yield row.place, content

    def documents(self, contents: Iterator[tuple[str, Any]], template: Template) -> Iterator[tuple[str, Document]]:
        """The documents of contents, with their places."""
        for place, content in contents:
            document = self.broken.attempt(place, partial(self.format.document, content, template))
            if document is not None:
                yield place, document


def reader(data: RunData, root: Path, stage_folder: Path) -> Reader:
    """A reader of a plan's data; the plan lies in `stage_folder`."""
    template = (stage_folder / data.chat_template).read_text(encoding="utf-8") if data.chat_template else None
    return Reader(data, root, chosen(data), template, Broken(data.broken))
