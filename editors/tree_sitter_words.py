"""The parts of the tree-sitter grammar that come from the compiler: the scanner's units and the highlighting query."""

from __future__ import annotations

import words
from trainc.dsl.unit_words import DURATIONS, EXTENTS, MULTIPLIERS, WORDS

_UNITS = """\
// Made by editors/generate.py from dsl/unit_words.py.
#ifndef TRAIN_UNITS_H
#define TRAIN_UNITS_H

static const char *const UNITS[] = {{{units}}};
static const char *const DURATIONS[] = {{{durations}}};
static const char *const EXTENTS[] = {{{extents}}};
static const char *const MULTIPLIERS[] = {{{multipliers}}};

#endif
"""

_HIGHLIGHTS = """\
; Made by editors/generate.py; the words come from the schema. Of several patterns that match, the last is meant.

(identifier) @variable
(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^##([^#]|$)"))

(import "import" @keyword.import)
(import "as" @keyword.import)
(import_path (identifier) @module)
(import alias: (identifier) @module)
(param "param" @keyword)
(param name: (identifier) @variable.parameter)
(param_type (identifier) @type)
(let "let" @keyword)
(let name: (identifier) @constant)
(declaration kind: (identifier) @type)
((declaration kind: (identifier) @keyword.type)
  (#any-of? @keyword.type {kinds}))
(declaration name: (identifier) @type.definition)
(assertion "assert" @keyword)
(assertion "else" @keyword.conditional)

(field name: (identifier) @property)
(member name: (identifier) @property)
(reference (identifier) @variable)
((reference (identifier) @constructor)
  (#any-of? @constructor {variants}))
((reference (identifier) @constant.builtin)
  (#any-of? @constant.builtin {members}))
(call function: (identifier) @function)
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin {functions}))

(conditional ["if" "then" "else"] @keyword.conditional)
(boolean) @boolean
(digits) @number
(unit) @type.builtin
(string) @string
(escape) @string.escape
(interpolation ["${{" "}}"] @punctuation.special)

["and" "or" "not" "in"] @keyword.operator
["=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "//" "%"] @operator
["{{" "}}" "[" "]" "(" ")"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter
"""


def units() -> str:
    """The C header with the units that the scanner knows."""
    return _UNITS.format(
        units=_listed(WORDS), durations=_listed(DURATIONS), extents=_listed(EXTENTS), multipliers=_listed(MULTIPLIERS)
    )


def highlights() -> str:
    """The query that colours a tree."""
    return _HIGHLIGHTS.format(
        kinds=_quoted(words.kinds()),
        variants=_quoted(words.variants()),
        members=_quoted(words.members()),
        functions=_quoted(words.functions()),
    )


def _listed(choices: tuple[str, ...]) -> str:
    return "".join(f'"{word}", ' for word in choices) + "NULL"


def _quoted(choices: tuple[str, ...]) -> str:
    return " ".join(f'"{word}"' for word in choices)
