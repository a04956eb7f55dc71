"""TRN634: rows of a data file lack a column that the format reads, or hold something else in it.

Why: the first rows of the file tell it now; the run would end with a missing key on its nodes, as huggingface/open-r1#454 and
simplescaling/s1#39 did.
Example:
  data chats { train = jsonl { path = "corpus/pairs.jsonl" }, format = chat, chat_template = plain, holdout = 5%, sequence = 2048 }
  stage tuned = pretrain { data = chats, objective = sft }
Instead:
  data chats { train = jsonl { path = "corpus/chats.jsonl" }, format = chat, chat_template = plain, holdout = 5%, sequence = 2048 }
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from trainc.dsl.suggest import closest

from ..files import SpecFiles
from ..spec import DataSpec, Jsonl, StageSpec
from . import Finding

# Files of a pattern that are looked into.
FILES = 8

KINDS = {"text": (str, "text"), "prompt": (str, "text"), "completion": (str, "text"), "messages": (list, "a list of messages")}


def check_files(stage: StageSpec, files: SpecFiles) -> Iterator[Finding]:
    """Reads the beginning of each file of rows."""
    for field, source in (("train", stage.data.train), ("eval", stage.data.eval)):
        if isinstance(source, Jsonl):
            columns = _columns(stage.data, source)
            for path in islice(files.matches(source.path), FILES):
                yield from islice(_faults(path, files.first_lines(path), columns, f"data.{field}", stage.data.broken), 1)


def _columns(data: DataSpec, source: Jsonl) -> dict[str, tuple[str, str]]:
    """Each column that is read, with what it holds and the field that names it, below the data."""
    match data.format:
        case "text":
            return {source.column: ("text", "column")}
        case "completion":
            return {data.columns.prompt: ("prompt", "prompt"), data.columns.completion: ("completion", "completion")}
        case "chat":
            return {data.columns.messages: ("messages", "messages")}
    return {}


def _faults(path: str, lines: list[str], columns: dict[str, tuple[str, str]], at: str, broken: str) -> Iterator[Finding]:
    found = [(number, _fault(line, columns)) for number, line in enumerate(lines, start=1) if line.strip()]
    wrong = [(number, fault) for number, fault in found if fault]
    # Where rows of no use are left out, some may be.
    if wrong and (broken == "stop" or len(wrong) == len(found)):
        number, (message, help) = wrong[0]
        yield Finding(f"{at}.path", f"`{path}` line {number} {message}", help)


def _fault(line: str, columns: dict[str, tuple[str, str]]) -> tuple[str, str] | None:
    try:
        row = json.loads(line)
    except ValueError as fault:
        return f"is not JSON: {fault}", "a row is a JSON object on a line of its own; the data's `broken` may leave such rows out"
    if not isinstance(row, dict):
        return "is no JSON object", "a row is a JSON object on a line of its own; the data's `broken` may leave such rows out"
    for column, (kind, field) in columns.items():
        type_, name = KINDS[kind]
        if column not in row:
            return f"has no `{column}`: it has {', '.join(f'`{key}`' for key in row)}", _renaming(field, column, row)
        if not isinstance(row[column], type_):
            return f"holds {json.dumps(row[column])[:60]} as `{column}`, not {name}", "the data's `broken` may leave such rows out"
    return None


def _renaming(field: str, column: str, row: dict[str, object]) -> str:
    place = "`column` of the source" if field == "column" else f"`{field}` of `columns`"
    near = closest(column, list(row))
    return f"name the right one by {place}" + (f'; did you mean "{near}"?' if near else ", or choose another `format`")
