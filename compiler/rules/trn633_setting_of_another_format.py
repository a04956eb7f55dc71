"""TRN633: a setting of the data that its format does not read.

Why: it would be ignored, and what it was meant to do would not happen; of two settings for one thing axolotl says that it ignores
one, which its reviewers would have as an error (axolotl-ai-cloud/axolotl#3071).
Example:
  data corpus { chat_template = chatml }
Instead:
  data corpus { packing = true }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import ColumnsSpec, DataSpec, StageSpec, Table
from . import Finding

COLUMNS = {"prompt": "completion", "completion": "completion", "messages": "chat"}
COLUMN = Table.settings["column"].default
OVERLONG = DataSpec.settings["overlong"].default


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Looks for what is written and not read."""
    data = stage.data
    for at, format_ in _unread(data):
        yield Finding(
            at=f"data.{at}",
            message=f"the format `{data.format}` does not read `{at.rpartition('.')[2]}`",
            help=f"leave it out; the format `{format_}` reads it",
        )


def _unread(data: DataSpec) -> Iterator[tuple[str, str]]:
    """Each such field, and a format that reads it."""
    for name, format_ in COLUMNS.items():
        if getattr(data.columns, name) != ColumnsSpec.settings[name].default and data.format != format_:
            yield f"columns.{name}", format_
    for field, source in (("train", data.train), ("eval", data.eval)):
        if isinstance(source, Table) and source.column != COLUMN and data.whole:
            yield f"{field}.column", "text"
    if data.chat_template is not None and data.format != "chat":
        yield "chat_template", "chat"
    if not data.whole and data.completions_only is not None:
        yield "completions_only", "completion"
    if not data.whole and data.overlong != OVERLONG:
        yield "overlong", "completion"
