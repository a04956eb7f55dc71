from __future__ import annotations

import pytest
from trainc.dsl import ast
from trainc.dsl.parser import parse_expression
from trainc.dsl.source import Source
from trainc.dsl.unit_words import WORDS, duration_terms


def value(text: str) -> ast.Expression | None:
    expression, findings = parse_expression(Source("t", text))
    assert findings == ()
    return expression


@pytest.mark.parametrize(
    ("text", "digits", "unit"),
    [
        ("1_000", "1000", None),
        ("2e-5", "2e-5", None),
        ("0.1", "0.1", None),
        ("80GB", "80", "GB"),
        ("80 GiB", "80", "GiB"),
        ("400 Gb/s", "400", "Gb/s"),
        ("3.35TB/s", "3.35", "TB/s"),
        ("989   TFLOPS", "989", "TFLOPS"),
        ("30min", "30", "min"),
        ("3 epochs", "3", "epochs"),
        ("1 step", "1", "step"),
        ("15T tokens", "15", "T tokens"),
        ("4 M  samples", "4", "M samples"),
        ("3%", "3", "%"),
        ("8B", "8", "B"),
        ("8Ki", "8", "Ki"),
        ("1.5M", "1.5", "M"),
        ("2h30min", "2", "h30min"),
    ],
)
def test_quantities(text: str, digits: str, unit: str | None) -> None:
    number = value(text)
    assert isinstance(number, ast.Number)
    assert (number.digits, number.unit, number.span.text) == (digits, unit, text)


@pytest.mark.parametrize("word", WORDS)
def test_every_unit_word_is_read_glued_and_apart(word: str) -> None:
    for text in (f"7{word}", f"7 {word}"):
        number = value(text)
        assert isinstance(number, ast.Number)
        assert number.unit == word


def test_a_percent_sign_with_spaces_is_the_remainder() -> None:
    remainder = value("10 % 3")
    assert isinstance(remainder, ast.Binary)
    assert remainder.operator == "%"


def test_a_bandwidth_divided_by_a_name_is_a_division() -> None:
    quotient = value("80 GB/size")
    assert isinstance(quotient, ast.Binary)
    assert isinstance(quotient.left, ast.Number)
    assert quotient.left.unit == "GB"


def test_the_terms_of_a_compound_duration() -> None:
    assert duration_terms("2", "h30min") == (("2", "h"), ("30", "min"))


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r'"a\n\t\"\\\u{e9}"', 'a\n\t"\\é'),
        ('""', ""),
        ('"$5"', "$5"),
        ('"""a "quoted" word"""', 'a "quoted" word'),
        ('"""\n    one\n      two\n    """', "one\n  two"),
        ('"""\r\n  one\r\n  """', "one"),
    ],
)
def test_strings(text: str, content: str) -> None:
    string = value(text)
    assert isinstance(string, ast.String)
    assert "".join(part for part in string.parts if isinstance(part, str)) == content
