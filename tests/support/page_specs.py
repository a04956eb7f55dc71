"""The specs that the examples of the manual's pages stand for."""

from __future__ import annotations

import re
from pathlib import Path

CASES = Path(__file__).parents[1] / "cases" / "rules"
BASE = CASES / "base.train"
DECLARATION = re.compile(r"^(gpu|cluster|model|data|mesh|precision|stage|pipeline) (\w+) (?:= (\w+) )?(\{.*)", re.DOTALL)


def fault_spec(example: str) -> str:
    """The base spec with the example of a fault after it, and a pipeline unless the example has its own."""
    pipeline = "" if re.search("^pipeline ", example, re.MULTILINE) else "pipeline run { stages = [pretrain] }\n"
    return f"{BASE.read_text()}\n{pipeline}{example}\n"


def parts(snippet: str) -> dict[str, str]:
    """The declarations and fields of an example, by what they set."""
    # A line that begins with a blank or a closing brace goes on with the one before.
    whole = re.split(r"\n(?![ }])", snippet)
    return {" ".join(part.split()[:2]) if DECLARATION.match(part) else part.split()[0]: part for part in whole}


def rule_spec(example: dict[str, str]) -> str:
    """The base spec with the example in it."""
    text = BASE.read_text()
    stages = ["pretrain"]
    fields = []
    for name, part in example.items():
        found = DECLARATION.match(part)
        if found is None:
            fields.append(part)
            continue
        kind, own, _, body = found.groups()
        if re.search(rf"^{name} ", text, re.MULTILINE):
            text = re.sub(rf"^{name} ", f"{kind} base_{own} ", text, flags=re.MULTILINE)
            part = f"{kind} {own} = base_{own} {body}"
        elif kind == "stage":
            stages.append(own)
        text += f"\n{part}\n"
    # A field of the stage stands on one line of the base spec; the example's takes its place.
    for field in fields:
        text, count = re.subn(rf"^  {field.split()[0]} .*", field, text, count=1, flags=re.MULTILINE)
        assert count, field
    if not any(name.startswith("pipeline") for name in example):
        text += f"\npipeline run {{ stages = [{', '.join(stages)}] }}\n"
    return text
