"""The TextMate grammar of `.train`, with its word lists from the schema and its number pattern from the lexer.

Rules nest as the language's brackets do: a value, an assertion or a declaration ends with its line, unless a bracket
that was opened in it is still open. So a word is a field's name or an operator by where it stands, as in the parser.
"""

from __future__ import annotations

import words
from trainc.dsl.unit_words import DIGITS_PATTERN, UNIT_PATTERN

NAME = r"[A-Za-z_][A-Za-z0-9_]*"

Rule = dict[str, object]


def grammar() -> Rule:
    """The whole grammar, ready to be written as JSON."""
    return {
        "name": "train",
        "scopeName": "source.train",
        "fileTypes": ["train"],
        "patterns": _include("comment", "import", "param", "let", "assertion", "declaration", "block", "expression"),
        "repository": {**_items(), **_entries(), **_expressions(), **_strings()},
    }


def _items() -> dict[str, Rule]:
    return {
        "comment": {
            "patterns": [
                _match(r"^[ \t]*(##(?!#).*)$", {1: "comment.line.documentation"}),
                _match(
                    r"(#[ \t]*)(trainc:[ \t]*allow)\b([^#\n-]*)(.*)$",
                    {0: "comment.line.number-sign", 2: "keyword.other.suppression", 3: "constant.other.code"},
                ),
                _match(r"#.*$", {0: "comment.line.number-sign"}),
            ]
        },
        "import": _span(
            rf"\b(import)\b[ \t]*({NAME})?",
            "$",
            {1: "keyword.control.import", 2: "entity.name.namespace"},
            [
                *_include("comment", "string"),
                _match(rf"(\.)[ \t]*({NAME})", {1: "punctuation.accessor", 2: "entity.name.namespace"}),
                _match(rf"\b(as)[ \t]+({NAME})", {1: "keyword.control.as", 2: "entity.name.namespace"}),
            ],
        ),
        "param": _span(
            rf"\b(param)[ \t]+({NAME})",
            "$",
            {1: "storage.type.param", 2: "variable.parameter"},
            _include("comment", "value", "types"),
        ),
        "types": {
            "patterns": [
                _match(r":", {0: "punctuation.separator.type"}),
                _span(r"\[", r"\]", {0: "punctuation.definition.type"}, _include("comment", "types")),
                _match(_words(words.param_types()), {0: "support.type"}),
            ]
        },
        "let": _span(
            rf"\b(let)[ \t]+({NAME})", "$", {1: "storage.type.let", 2: "variable.other.constant"}, _include("comment", "value")
        ),
        "declaration": _span(
            rf"\b(?:({'|'.join(words.kinds())})|({NAME}))[ \t]+({NAME})",
            "$",
            # A kind that this grammar does not know yet is coloured too, and told apart.
            {1: "storage.type.kind", 2: "storage.type.other", 3: "entity.name.type"},
            _include("comment", "value", "block"),
        ),
    }


def _entries() -> dict[str, Rule]:
    return {
        "block": _span(
            r"\{",
            rf"\}}|{_next_item()}",
            {0: "punctuation.section.block"},
            [
                *_include("comment", "assertion", "value", "block"),
                _match(NAME, {0: "variable.other.property"}),
                _match(",", {0: "punctuation.separator.comma"}),
            ],
        ),
        "value": _span(r"=(?!=)", rf"(?=[,}}])|$|{_next_item()}", {0: "keyword.operator.assignment"}, _include("expression")),
        "assertion": _span(
            r"\b(assert)\b(?![ \t]*(?:=(?!=)|\{))",
            rf"(?=[,}}])|$|{_next_item()}",
            {1: "keyword.control.assert"},
            _include("expression"),
        ),
    }


def _expressions() -> dict[str, Rule]:
    inner = [*_include("expression"), _match(",", {0: "punctuation.separator.comma"})]
    return {
        "expression": {
            "patterns": [
                *_include("comment", "string", "number", "block"),
                _span(r"\[", rf"\]|{_next_item()}", {0: "punctuation.section.brackets"}, inner),
                _span(r"\(", rf"\)|{_next_item()}", {0: "punctuation.section.parens"}, inner),
                # Any word may follow the dot, also on the next line inside brackets.
                {
                    "begin": r"\.",
                    "beginCaptures": _captures({0: "punctuation.accessor"}),
                    "end": rf"({NAME})|(?=[^ \t#\r\n])",
                    "endCaptures": _captures({1: "variable.other.member"}),
                    "patterns": _include("comment"),
                },
                *_include("word"),
                _match(r"[=!<>]=|[<>]", {0: "keyword.operator.comparison"}),
                _match(r"//|[-+*/%]", {0: "keyword.operator.arithmetic"}),
            ]
        },
        "number": {
            "patterns": [
                _match(rf"(?>{DIGITS_PATTERN})(?!{UNIT_PATTERN})({NAME})", {0: "constant.numeric", 1: "invalid.illegal.unit"}),
                _match(rf"({DIGITS_PATTERN})({UNIT_PATTERN})?", {1: "constant.numeric", 2: "keyword.other.unit"}),
            ]
        },
        "word": {
            "patterns": [
                _match(_words(words.BOOLEANS), {0: "constant.language.boolean"}),
                _match(_words(words.CONTROL), {0: "keyword.control.conditional"}),
                _match(_words(words.OPERATORS), {0: "keyword.operator.word"}),
                _match(rf"{_words(words.functions())}(?=[ \t]*\()", {0: "support.function"}),
                _match(_words(words.variants()), {0: "support.class.variant"}),
                _match(_words(words.members()), {0: "support.constant.member"}),
                _match(NAME, {0: "variable.other"}),
            ]
        },
    }


def _strings() -> dict[str, Rule]:
    inner = _include("escape", "interpolation")
    return {
        "string": {
            "patterns": [
                _named("string.quoted.triple", _span('"""', '"""', {0: "punctuation.definition.string"}, inner)),
                _named("string.quoted.double", _span('"', '"|$', {0: "punctuation.definition.string"}, inner)),
            ]
        },
        "escape": {
            "patterns": [
                _match(r'\\(?:[nt"\\]|u\{[0-9A-Fa-f]{1,6}\})', {0: "constant.character.escape"}),
                _match(r'\\(?:u\{[^}"\n]*\}?|.)', {0: "invalid.illegal.escape"}),
            ]
        },
        "interpolation": _named(
            "meta.embedded.expression",
            _span(r"\$\{", rf"\}}|{_next_item()}", {0: "punctuation.section.embedded"}, _include("expression")),
        ),
    }


def _next_item() -> str:
    """Where a line begins as an item does: there every bracket was left open by mistake, and the colours start anew."""
    no_name = rf"(?!(?:{'|'.join((*words.BOOLEANS, *words.CONTROL, *words.OPERATORS))})\b)"
    declaration = rf"(?:{'|'.join(words.kinds())})[ \t]+{NAME}[ \t]*(?:\{{|=(?!=))"
    return rf"^(?={declaration}|(?:import|param|let)[ \t]+{no_name}[A-Za-z_\"])"


def _words(choices: tuple[str, ...]) -> str:
    return rf"\b(?:{'|'.join(choices)})\b"


def _include(*names: str) -> list[Rule]:
    return [{"include": f"#{name}"} for name in names]


def _captures(scopes: dict[int, str]) -> dict[str, Rule]:
    return {str(group): {"name": f"{scope}.train"} for group, scope in scopes.items()}


def _match(pattern: str, scopes: dict[int, str]) -> Rule:
    return {"match": pattern, "captures": _captures(scopes)}


def _span(begin: str, end: str, scopes: dict[int, str], patterns: list[Rule]) -> Rule:
    rule: Rule = {"begin": begin, "beginCaptures": _captures(scopes), "end": end, "patterns": patterns}
    return {**rule, "endCaptures": _captures({0: scopes[0]})} if 0 in scopes else rule


def _named(scope: str, rule: Rule) -> Rule:
    return {"name": f"{scope}.train", **rule}
