"""The recogniser and the parser agree on what is sound."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trainc.dsl.lexer import lex
from trainc.dsl.parser import parse
from trainc.dsl.recognise import is_sound
from trainc.dsl.source import Source

WHOLE_FILE = Path(__file__).with_name("whole_file.train").read_text(encoding="utf-8")
PIECES = [
    *("{", "}", "[", "]", "(", ")", "=", ",", ".", "#", "%", "-", "\n", '"', ":", "a", "b c"),
    *(
        '"""',
        "${",
        "}",
        "//",
        "if ",
        "then ",
        "else ",
        "not ",
        "in ",
        "assert ",
        "let x = ",
        "import ",
        "3GB",
        "a b {\n",
        "x = 1\n",
    ),
]


def agree(text: str) -> bool:
    source = Source("t", text)
    sound = is_sound(lex(source))
    assert sound == (parse(source).findings == ()), text
    return sound


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_on_any_arrangement_of_pieces(text: str) -> None:
    agree(text)


def test_on_a_whole_file_with_a_few_changes() -> None:
    chance, sound = random.Random(7), 0
    for _ in range(500):
        at = chance.randrange(len(WHOLE_FILE))
        sound += agree(WHOLE_FILE[:at] + chance.choice(["", *PIECES]) + WHOLE_FILE[at + chance.randint(0, 2) :])
    assert 50 < sound < 450


@pytest.mark.parametrize(
    "text",
    [
        *("let x: 1", "mesh m = { a = 1 }", "mesh m: base", "mesh m: { a = 1 }", "mesh m\n{ a = 1 }"),
        *("mesh m { a: 1 }", "mesh m { a = { b = 1 } }", "mesh m { a: { b = 1 } }", "mesh m { a\n{ b = 1 } }"),
        *('let x = "${1 +}"', 'let x = "${"${}"}"', "let x = 1 steps2", "let x = 'a'"),
    ],
)
def test_what_the_parser_understands_but_reports_is_not_sound(text: str) -> None:
    assert not agree(text)
