"""The colours of the TextMate grammar are what the compiler's lexer and parser say of every token.

Needs the engine that VS Code uses, from npm: `make editors` installs it into editors/proof and runs this.
"""

from __future__ import annotations

import bisect
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from trainc.compiler.spec import KINDS
from trainc.dsl import ast
from trainc.dsl.lexer import lex
from trainc.dsl.parser import parse
from trainc.dsl.source import Source, Span
from trainc.dsl.tokens import Lexed
from trainc.dsl.unit_words import DIGITS_PATTERN

PROOF = Path(__file__).parents[2] / "editors" / "proof"
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NODE is None or not (PROOF / "node_modules").exists(), reason="needs `make editors`"),
]

KEYWORDS = {
    **dict.fromkeys(("IF", "THEN", "ELSE"), "keyword.control.conditional"),
    **dict.fromkeys(("AND", "OR", "NOT", "IN"), "keyword.operator.word"),
    "IMPORT": "keyword.control.import",
    "AS": "keyword.control.as",
    "ASSERT": "keyword.control.assert",
    "PARAM": "storage.type.param",
    "LET": "storage.type.let",
    "COMPARE": "keyword.operator.comparison",
    **dict.fromkeys(("PLUS", "MINUS", "TIMES"), "keyword.operator.arithmetic"),
    "EQUAL": "keyword.operator.assignment",
    **dict.fromkeys(("LBRACE", "RBRACE", "LBRACK", "RBRACK", "LPAREN", "RPAREN"), "punctuation"),
    **dict.fromkeys(("COMMA", "COLON", "DOT"), "punctuation"),
}
# A word that names a value: coloured as a variable, or as the variant, member or function that it may be.
REFERENCE = ("variable.other", "support.")
DIGITS = re.compile(DIGITS_PATTERN)
ESCAPE = re.compile(r'\\(?:u\{[0-9A-Fa-f]+\}|[nt"\\])')

# What the scope of the character at an offset has to begin with.
Expected = Iterator[tuple[int, str | tuple[str, ...]]]


@pytest.fixture(scope="module")
def tokenised(texts: dict[str, str]) -> dict[str, list[list[object]]]:
    command = [str(NODE), str(PROOF / "tokenise.js")]
    shown = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True)
    found: dict[str, list[list[object]]] = json.loads(shown.stdout)
    return found


def test_every_token_has_the_scope_of_its_meaning(texts: dict[str, str], tokenised: dict[str, list[list[object]]]) -> None:
    checked: Counter[str] = Counter()
    wrong = []
    for name, text in texts.items():
        source = Source("t", text)
        result = parse(source)
        if result.findings:
            continue
        scopes = Scopes(text, tokenised[name])
        checked["files"] += 1
        for offset, wanted in expected(source, result.file).items():
            checked[wanted[0] if isinstance(wanted, tuple) else wanted] += 1
            if not scopes.fit(offset, wanted):
                wrong.append((name, text[offset : offset + 20], wanted, scopes.at(offset), text))
    print(f"TextMate: {dict(checked)}, {len(wrong)} differ")
    assert checked["files"] > 300
    assert not wrong, f"{len(wrong)}: {wrong[0]}"


class Scopes:
    """The scopes of each character of a text, outermost first."""

    def __init__(self, text: str, rows: list[list[object]]) -> None:
        starts = [0, *(index + 1 for index, char in enumerate(text) if char == "\n")]
        self.tokens = [(starts[line] + start, starts[line] + end, scopes) for line, start, end, scopes in rows]
        self.begins = [token[0] for token in self.tokens]

    def at(self, offset: int) -> list[str]:
        start, end, scopes = self.tokens[bisect.bisect_right(self.begins, offset) - 1]
        assert start <= offset < end, "every character of a line has a token"
        return scopes

    def fit(self, offset: int, wanted: str | tuple[str, ...]) -> bool:
        scopes = self.at(offset)
        if wanted[:7] == "comment":
            return any(scope.startswith(wanted) for scope in scopes)
        return scopes[-1].startswith(wanted) and not any(scope.startswith("comment") for scope in scopes)


def expected(source: Source, file: ast.File) -> dict[int, str | tuple[str, ...]]:
    """What every character has to be, but blanks between tokens."""
    found = dict(_tokens(source.text, lex(source), dict(_names(file))))
    for comment in file.comments:
        line_start = source.text.rfind("\n", 0, comment.span.start) + 1
        is_doc = re.match(r"[ \t]*##(?!#)", source.text[line_start:]) and comment.text.startswith("##")
        scope = "comment.line.documentation" if is_doc else "comment.line.number-sign"
        found |= dict.fromkeys(range(comment.span.start, comment.span.end), scope)
    missing = [offset for offset, char in enumerate(source.text) if offset not in found and not char.isspace() and char != "\ufeff"]
    assert not missing
    return found


def _names(node: object) -> Iterator[tuple[int, str | tuple[str, ...]]]:
    """Where words are names or values, and the scopes of what they name."""
    match node:
        case ast.Import():
            words = re.finditer(r"\w+", "" if node.is_file else node.target_span.text)
            yield from ((node.target_span.start + word.start(), "entity.name.namespace") for word in words)
            if node.alias:
                yield node.alias.span.start, "entity.name.namespace"
        case ast.Param():
            yield node.name.span.start, "variable.parameter"
            yield node.type.span.start, ("source.train", "support.type")
        case ast.Let():
            yield node.name.span.start, "variable.other.constant"
        case ast.Declaration():
            yield node.kind.span.start, "storage.type.kind" if node.kind.text in KINDS else "storage.type.other"
            yield node.name.span.start, "entity.name.type"
        case ast.Field():
            yield node.name.span.start, "variable.other.property"
        case ast.Member():
            yield node.name.span.start, "variable.other.member"
        case ast.Call():
            yield node.function.span.start, REFERENCE
        case ast.Reference():
            yield node.span.start, REFERENCE
        case ast.Boolean():
            yield node.span.start, "constant.language.boolean"
    for child in _children(node):
        yield from _names(child)


def _children(node: object) -> Iterator[object]:
    if is_dataclass(node) and not isinstance(node, ast.Name | Span | Source):
        for field in fields(node):
            value = getattr(node, field.name)
            yield from value if isinstance(value, tuple) else (value,)


def _tokens(text: str, lexed: Lexed, names: dict[int, str | tuple[str, ...]]) -> Expected:
    for kind, start, end in lexed.tokens:
        if kind == "NUMBER":
            yield from _number(text, start, end)
        elif kind in ("STRING", "TEMPLATE"):
            yield from _string(text, start, end, lexed, names)
        elif kind not in ("NEWLINE", "END"):
            yield from ((offset, names.get(start) or KEYWORDS[kind]) for offset in range(start, end))


def _number(text: str, start: int, end: int) -> Expected:
    digits = DIGITS.match(text, start)
    assert digits is not None
    yield from ((offset, "constant.numeric") for offset in range(start, digits.end()))
    yield from ((offset, "keyword.other.unit") for offset in range(digits.end(), end) if not text[offset].isspace())


def _string(text: str, start: int, end: int, lexed: Lexed, names: dict[int, str | tuple[str, ...]]) -> Expected:
    holes = iter([part for part in lexed.strings[start] if isinstance(part, Lexed)])
    quotes = 3 if text.startswith('"""', start) else 1
    for edge in (start, end - quotes):
        yield from ((offset, "punctuation.definition.string") for offset in range(edge, edge + quotes))
    offset = start + quotes
    while offset < end - quotes:
        if escape := ESCAPE.match(text, offset):
            yield from ((place, "constant.character.escape") for place in range(offset, escape.end()))
            offset = escape.end()
        elif text.startswith("${", offset):
            hole = next(holes)
            closing = hole.tokens[-1][1]
            yield from ((place, "punctuation.section.embedded") for place in (offset, offset + 1, closing))
            yield from _tokens(text, Lexed(hole.tokens, strings=lexed.strings), names)
            offset = closing + 1
        else:
            if text[offset] not in "\r\n":
                yield offset, "string.quoted"
            offset += 1
