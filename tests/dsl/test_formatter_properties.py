"""Whatever the layout and wherever comments stand: canonical form is stable, loses no comment and changes no meaning."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trainc.dsl import ast
from trainc.dsl.formatter import WIDTH, format_source
from trainc.dsl.lexer import lex
from trainc.dsl.parser import parse
from trainc.dsl.source import Source
from trees import NOWHERE, items, shape
from unparse import unparse

FOUND = sorted(file for folder in ("stdlib", "examples", "tests") for file in Path(folder).rglob("*.train"))
# One example of mistakes does not parse, and is left as it is.
SPECS = [file for file in FOUND if not parse(Source(str(file), file.read_text(encoding="utf-8"))).findings]
COMMENTS = ["# note", "## doc", "#", "# trainc: allow TRN201 -- known", "#!x", "# ends in blanks  "]
OPENERS = {"LBRACE": "{", "LBRACK": "[", "LPAREN": "("}
CLOSERS = ("RBRACE", "RBRACK", "RPAREN")


def formatted(text: str) -> str:
    result = format_source(Source("t", text))
    assert result.text is not None, [finding.message for finding in result.findings]
    return result.text


def tree(text: str) -> tuple[object, ...]:
    """The items of a text, the imports in any order."""
    result = parse(Source("t", text))
    assert result.findings == ()
    imports = [shape(item) for item in result.file.items if isinstance(item, ast.Import)]
    return (sorted(imports, key=repr), [shape(item) for item in result.file.items if not isinstance(item, ast.Import)])


@dataclass(frozen=True)
class Placed:
    """A comment with the words before and after it."""

    text: str
    before: str
    after: str


def comments(text: str) -> tuple[list[Placed], list[Placed]]:
    """The comments at the imports that begin a file, which may change places, and all others."""
    source = Source("t", text)
    lexed = lex(source)
    words = [token for token in lexed.tokens if token[0] not in ("NEWLINE", "COMMA")]
    templates = [token for token in words if token[0] == "TEMPLATE"]
    found: tuple[list[Placed], list[Placed]] = ([], [])
    end_of_imports = imports_end(source)
    for comment in lexed.comments:
        start = comment.span.start
        if any(begin < start < end for _, begin, end in templates):
            continue
        before = [(begin, text[begin:end]) for _, begin, end in words if end <= start][-1:]
        after = [text[begin:end] for _, begin, end in words if begin > start][:1]
        own_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
        at_imports = start < end_of_imports
        # What stands above an import stays there, what stands beside it moves with it; which is the last may change.
        left = "".join(word for begin, word in before if begin >= end_of_imports or (at_imports and not own_line))
        right = "".join(after if own_line or not at_imports else [])
        found[0 if at_imports else 1].append(Placed(comment.text.rstrip(), left, right))
    return sorted(found[0], key=repr), found[1]


def imports_end(source: Source) -> int:
    """The end of the line of the last import that only imports stand before."""
    end = 0
    for item in parse(source).file.items:
        if not isinstance(item, ast.Import):
            break
        end = source.text.find("\n", item.span.end)
    return end if end >= 0 else len(source.text)


def holds(text: str) -> None:
    once = formatted(text)
    assert formatted(once) == once
    assert tree(once) == tree(text)
    assert comments(once) == comments(text)
    lines = [line.rstrip("\r") for line in once.split("\n")]
    assert once == "" or (once.endswith("\n") and lines[0] and lines[-2])


class Scribbler:
    """Lays tokens out at random, with comments wherever the language takes them."""

    def __init__(self, text: str, seed: int) -> None:
        self.text = text
        self.chance = random.Random(seed)
        self.line_end = self.chance.choice(["\n", "\n", "\r\n"])
        self.calm = self.chance.random()

    def scribbled(self) -> str:
        tokens = lex(Source("t", self.text)).tokens
        inside = [""]
        result, last = self.lines() if self.chance.random() < 0.3 else "", 0
        for kind, start, end in tokens:
            if kind in CLOSERS:
                result += self.between(inside[-1], "before closer", self.text[last:start])
                inside.pop()
            elif kind == "NEWLINE":
                result += self.separator(inside[-1])
                last = end
                continue
            elif kind == "COMMA":
                result += self.separator(inside[-1]) if inside[-1] == "{" else f"{self.free()},{self.free()}"
                last = end
                continue
            elif kind == "LBRACE":
                result += " "
            else:
                result += self.between(inside[-1], "", self.text[last:start])
            result += self.text[start:end].replace("\n", self.line_end)
            if kind in OPENERS:
                inside.append(OPENERS[kind])
                result += self.lines() if kind == "LBRACE" and self.chance.random() > self.calm else ""
            last = end
        return result

    def between(self, bracket: str, place: str, blanks: str) -> str:
        if bracket in ("[", "("):
            return self.free() or blanks
        if bracket == "{" and place and self.chance.random() > self.calm:
            return self.lines()
        return " " * self.chance.randint(1, 3) if blanks.strip("\n") else blanks.strip("\n")

    def separator(self, bracket: str) -> str:
        if bracket == "{" and self.chance.random() < 0.5:
            return ", " + (self.lines() if self.chance.random() > self.calm else "")
        return self.lines()

    def free(self) -> str:
        """Where newlines mean nothing; words at column 1 would look like items, before which all brackets are closed."""
        if self.chance.random() < 0.6 + 0.4 * self.calm:
            return ""
        return f"{self.lines()} "

    def lines(self) -> str:
        parts = [self.comment() if self.chance.random() < 0.2 else "", self.line_end]
        for _ in range(self.chance.choice([0, 0, 0, 1, 2, 3])):
            comment = self.comment() if self.chance.random() < 0.4 else ""
            parts.append(" " * self.chance.randint(0, 4) + comment + self.line_end)
        return "".join(parts) + " " * self.chance.randint(0, 5)

    def comment(self) -> str:
        return f" {self.chance.choice(COMMENTS)}"


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_every_spec_of_this_repository(spec: Path) -> None:
    holds(spec.read_bytes().decode())


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_every_spec_of_this_repository_however_it_is_laid_out(spec: Path) -> None:
    text = spec.read_text(encoding="utf-8")
    for seed in range(12):
        holds(Scribbler(text, seed).scribbled())


@settings(max_examples=100)
@given(st.lists(items, max_size=5).map(tuple))
def test_any_tree(nodes: tuple[ast.Item, ...]) -> None:
    holds(unparse(ast.File(NOWHERE.source, nodes, ())))


@settings(max_examples=250)
@given(st.lists(items, max_size=4).map(tuple), st.integers(0, 1 << 32))
def test_any_tree_in_any_layout(nodes: tuple[ast.Item, ...], seed: int) -> None:
    holds(Scribbler(unparse(ast.File(NOWHERE.source, nodes, ())), seed).scribbled())


@settings(max_examples=100)
@given(st.lists(items, min_size=1, max_size=4).map(tuple), st.integers(0, 1 << 32))
def test_blocks_and_lists_that_can_be_broken_stay_within_the_width(nodes: tuple[ast.Item, ...], seed: int) -> None:
    text = formatted(unparse(ast.File(NOWHERE.source, nodes, ())))
    for line in text.split("\n"):
        assert len(line) <= WIDTH or not line.rstrip(",").endswith(" }"), line
