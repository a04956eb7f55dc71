"""What certainly mends a fault of syntax, found from the text around it; None wherever something else may be meant."""

from __future__ import annotations

import re

from .diagnostics import Edit, Fix
from .source import Span
from .suggest import certain
from .unit_words import FOREIGN_WORDS, WORDS

_MARKS = {"&&": "and", "||": "or", "!": "not", "<>": "!=", ":=": "=", "=>": "="}
# `8G` may be bytes, and `8m` millions.
_UNSURE = ("G", "m")
# A text that cannot hold more than was meant: no space, comma, bracket or comment.
_ONE_WORD = re.compile(r"[\w./:-]+")
_PROSE = re.compile(r"[ \t]*[^\W\d]\w*[ \t]+[^\W\d]\w*")
_NOTHING_MORE = re.compile(r"[ \t]*(?:\}|#|\r?$)", re.MULTILINE)


def closing_quote(opened: Span) -> Fix | None:
    """The quote at the end of the line, where the string is one word up to there."""
    source, line = opened.source, opened.line
    rest = source.line_text(line)[opened.end - source.line_starts[line - 1] :]
    if opened.text != '"' or not _ONE_WORD.fullmatch(rest):
        return None
    end = opened.end + len(rest)
    return Fix("add the closing quote", (Edit(Span(source, end, end), '"'),))


def closer(opened: Span, span: Span, bracket: str) -> Fix | None:
    """The bracket that closes a list of several items, or the arguments of a function: only these can be what was begun."""
    text = opened.source.text
    after_name = text[opened.start - 1 : opened.start].isalnum()
    is_list = opened.text == "[" and not after_name and "," in text[opened.end : span.start]
    if not is_list and not (opened.text == "(" and after_name):
        return None
    return Fix(f"replace `{span.text}` by `{bracket}`", (Edit(span, bracket),))


def unit(span: Span) -> Fix | None:
    """The unit that is meant; bits and bytes are never taken for one another."""
    written = span.text
    meant = FOREIGN_WORDS.get(written) if written not in _UNSURE else None
    if meant is None and (near := certain(written, WORDS)) is not None and near.count("b") == written.count("b"):
        meant = near
    if meant is None or written in WORDS:
        return None
    start = span.start
    if meant == "%":
        # Percent is glued to its number.
        start = len(span.source.text[:start].rstrip(" \t"))
    return Fix(f"write `{meant}`", (Edit(Span(span.source, start, span.end), meant),))


def comma(before: Span, span: Span) -> Fix | None:
    """A comma between two items, unless they may be one that was cut: `1 000`, or the two halves of a text."""
    cut_number = before.text.isdigit() and re.fullmatch(r"[0-9]{3}", span.text)
    if cut_number or (before.text.endswith('"') and span.text.startswith('"')):
        return None
    return Fix("insert `,`", (Edit(Span(before.source, before.end, before.end), ","),))


def mark(span: Span) -> Fix | None:
    """What another language's mark is called here; a `;` that ends a line is left out."""
    word = _MARKS.get(span.text)
    if word is not None:
        edits = tuple(Edit(place, spaced(word, place) if word.isalpha() else word) for place in _repeated(span))
        return Fix(f"replace `{span.text}` by `{word}`", edits)
    if span.text == ";" and _NOTHING_MORE.match(span.source.text, span.end):
        return Fix("leave out `;`", (Edit(span, ""),))
    return None


def _repeated(span: Span) -> list[Span]:
    """A mark and the same ones after it on its line, where no text and no comment can hold them: a chain is one fault."""
    source, line = span.source, span.source.line_text(span.line)
    if len(span.text) == 1 or '"' in line or "#" in line:
        return [span]
    end = source.line_starts[span.line - 1] + len(line)
    found = re.compile(re.escape(span.text)).finditer(source.text, span.start, end)
    return [Span(source, match.start(), match.end()) for match in found]


def comment(span: Span) -> Fix | None:
    """`#` for `//`, where words follow that no expression goes on with."""
    if span.text != "//" or not _PROSE.match(span.source.text, span.end):
        return None
    return Fix("begin it with `#`", (Edit(span, "#"),))


def spaced(word: str, span: Span) -> str:
    """A word in place of a span, with the spaces that it lacks there; `not` needs none before it."""
    text = span.source.text
    before = text[span.start - 1 : span.start] not in ("", " ", "\t", "(", "[")
    after = text[span.end : span.end + 1] not in ("", " ", "\t", "\r", "\n")
    return f"{' ' * before}{word}{' ' * after}"
