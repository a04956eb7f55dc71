"""Writes docs/rules.md from the pages of the codes and docs/fields.md from the schema; a test holds both to what this makes."""

from __future__ import annotations

import re
from pathlib import Path

from trainc.compiler import pages, reference
from trainc.compiler.effect import Effect

DOCS = Path(__file__).parent
BASE = DOCS.parent / "tests" / "cases" / "rules" / "base.train"
FAMILIES = {
    "0": "Syntax",
    "1": "Names, types, units, imports",
    "2": "Mesh and parallelism",
    "3": "Batch, schedule, optimizer",
    "4": "Precision and hardware",
    "5": "Adapters and quantisation",
    "6": "Data and tokenizer",
    "7": "Memory and performance",
    "8": "Launch, checkpoints, fault tolerance",
    "9": "Style and hygiene",
}
INTRODUCTION = """\
# Findings

Every finding of `trainc` by its code; `trainc explain CODE` shows the same page in a terminal. This file is made from
docstrings by `docs/generate.py`.

A test runs all examples. Those of rules, which the families 2 to 8 hold most of, are parts of the spec below: declarations amend
those of the same name, bare fields replace the stage's, and what *instead* repeats replaces what the example says. Those of other
faults stand after that spec, or are typed: lines that begin with `$` are commands in a folder that holds the spec as `spec.train`
and what `trainc init` writes as `first.train`; what follows `cat FILE` is in that file.
"""
FIELDS_INTRODUCTION = """\
# Fields

Every kind, part and variant of the language, and at the end what assertions can read of a plan. `docs/generate.py` makes this page
from the schema; `trainc docs NAME` shows one part of it.

The column *changed* says what another value does to a run that has a checkpoint already, and what `trainc diff` therefore answers.
A field that holds a record states what another variant does, or leaving the record out.

{effects}
"""
ISSUE = re.compile(r"\b([\w.-]+/[\w.-]+)#(\d+)")
PAPER = re.compile(r"\barXiv:(\d{4}\.\d{4,5})")


def rules() -> str:
    """The text of docs/rules.md."""
    found = [page for code in pages.codes() if (page := pages.page(code)) is not None]
    parts = [INTRODUCTION, f"```train\n{BASE.read_text(encoding='utf-8')}```\n"]
    for digit, family in FAMILIES.items():
        members = [page for page in found if page.code[3] == digit]
        if members:
            parts += [f"## {digit}xx {family}\n", *map(_section, members)]
    return "\n".join(parts)


def _section(page: pages.Page) -> str:
    severity = "" if page.severity.value == "error" else f" ({page.severity.value})"
    head = f"### {page.code}{severity}: {page.fault}\n\n**Why:** {_linked(page.why)}\n"
    return f"{head}\n{_part('Example', page.example)}\n{_part('Instead', page.instead)}"


def _part(title: str, body: str) -> str:
    return f"**{title}:**\n```\n{body}\n```\n"


def _linked(text: str) -> str:
    """The text with links to the issues and papers that it names."""
    text = ISSUE.sub(r"[\1#\2](https://github.com/\1/issues/\2)", text)
    return PAPER.sub(r"[arXiv:\1](https://arxiv.org/abs/\1)", text)


def fields() -> str:
    """The text of docs/fields.md."""
    effects = "\n".join(f"- *{effect.value}*: {effect.meaning}" for effect in Effect)
    return f"{FIELDS_INTRODUCTION.format(effects=effects)}\n{reference.markdown()}"


if __name__ == "__main__":
    (DOCS / "fields.md").write_text(fields(), encoding="utf-8")
    (DOCS / "rules.md").write_text(rules(), encoding="utf-8")
