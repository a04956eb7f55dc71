from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from trainc.compiler.units import UNITS, Dimension, Quantity, format_quantity, read_number
from trainc.dsl import unit_words
from trainc.dsl.unit_words import EXTENTS, MULTIPLIERS, PERCENT, WORDS


@pytest.mark.parametrize(
    ("digits", "unit", "value", "dimension"),
    [
        ("80", "GiB", 80 * 2**30, Dimension.BYTES),
        ("1.5", "GB", 1_500_000_000, Dimension.BYTES),
        ("400", "Gb/s", 50_000_000_000, Dimension.BANDWIDTH),
        ("989", "TFLOPS", 989 * 10**12, Dimension.FLOPS),
        ("30", "min", 1800, Dimension.DURATION),
        ("2", "h30min", 9000, Dimension.DURATION),
        ("15", "T tokens", 15 * 10**12, Dimension.TOKENS),
        ("3", "%", 3, Dimension.PERCENT),
        ("8", "B", 8 * 10**9, Dimension.NUMBER),
        ("8", "Ki", 8192, Dimension.NUMBER),
        ("0.1", "B", 10**8, Dimension.NUMBER),
    ],
)
def test_units_are_exact(digits: str, unit: str, value: int, dimension: Dimension) -> None:
    quantity = read_number(digits, unit)
    assert quantity == Quantity(value, dimension)
    assert isinstance(quantity.value, int)


def test_every_unit_that_the_lexer_knows_has_a_meaning() -> None:
    assert {*unit_words.WORDS, unit_words.PERCENT} == {word for word in UNITS if " " not in word}


def test_bare_b_is_bytes_only_where_bytes_are_expected() -> None:
    assert read_number("8", "B", bytes_expected=True) == Quantity(8, Dimension.BYTES)


def test_a_literal_with_a_point_is_no_count() -> None:
    quantity = read_number("1.0", None)
    assert quantity is not None
    assert isinstance(quantity.value, float)


@given(st.integers(1, 10**6), st.sampled_from(sorted(UNITS)))
@example(56790, "PB")
def test_what_is_shown_reads_back_the_same(value: int, unit: str) -> None:
    quantity = read_number(str(value), unit)
    assert quantity is not None
    digits, word = _split(format_quantity(quantity))
    again = read_number(digits, word, bytes_expected=quantity.dimension is Dimension.BYTES)
    assert again is not None
    assert again.dimension is quantity.dimension
    assert again.value == pytest.approx(quantity.value, rel=1e-12)


def _split(text: str) -> tuple[str, str | None]:
    digits = text.rstrip("".join(set(text) - set("0123456789.e-+")))
    for position, char in enumerate(text):
        if not (
            char.isdigit() or char in ".+-" or (char == "e" and position + 1 < len(text) and text[position + 1] in "+-0123456789")
        ):
            return text[:position], text[position:].strip()
    return digits, None


@pytest.mark.parametrize("unit", [*WORDS, PERCENT, *(f"{many} {what}" for many in MULTIPLIERS for what in EXTENTS), "h30min"])
def test_every_unit_that_the_lexer_takes_has_a_meaning(unit: str) -> None:
    assert read_number("2", unit) is not None
