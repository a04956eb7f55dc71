"""Parses a source into a syntax tree and findings; no input makes it raise.

At a fault it reports once and goes on at the next entry of the block, or at the next top-level item.
"""

from __future__ import annotations

from .ast import Expression, File, ParseResult
from .build import Build
from .diagnostics import Diagnostic, in_order
from .lexer import lex, lex_expression
from .lr import run
from .recovery import Recovery
from .source import Source
from .syntax_errors import UNCLOSED
from .tokens import Lexed


def parse(source: Source) -> ParseResult:
    """Every item of a file that could be read, and a finding for each that could not."""
    lexed = lex(source)
    items = _run("file", source, lexed)
    findings = in_order(lexed.findings)
    faults = tuple(finding.primary for finding in findings if finding.primary is not None)
    return ParseResult(File(source, tuple(items) if isinstance(items, list) else (), tuple(lexed.comments), faults), findings)


def parse_expression(source: Source) -> tuple[Expression | None, tuple[Diagnostic, ...]]:
    """The one expression that a text holds, None where it is at fault."""
    lexed = lex_expression(source)
    value = _expression(source, lexed)
    findings = in_order(lexed.findings)
    return (value if not findings else None), findings


def _run(start: str, source: Source, lexed: Lexed) -> object | None:
    strings = _fill_holes(source, lexed)
    build = Build(lexed.docs, strings, lexed.findings)
    unclosed = frozenset(finding.primary.line for finding in lexed.findings if finding.code == UNCLOSED and finding.primary)
    recovery = Recovery(source, lexed.tokens, lexed.findings, unclosed)
    return run(start, source, lexed.tokens, build.table(), recovery.resume)


def _fill_holes(source: Source, lexed: Lexed) -> dict[int, tuple[str | Expression, ...]]:
    """The parts of the strings of a token list; a string with an interpolation at fault becomes a FAULT."""
    strings: dict[int, tuple[str | Expression, ...]] = {}
    for index, (kind, begin, end) in enumerate(lexed.tokens):
        if kind not in ("STRING", "TEMPLATE"):
            continue
        parts = tuple(part if isinstance(part, str) else _expression(source, part) for part in lexed.strings[begin])
        strings[begin] = tuple(part for part in parts if part is not None)
        if None in parts:
            lexed.tokens[index] = ("FAULT", begin, end)
    return strings


def _expression(source: Source, lexed: Lexed) -> Expression | None:
    value = _run("expression", source, lexed)
    return value if isinstance(value, Expression) else None
