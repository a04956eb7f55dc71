"""Quantities: numbers with a dimension, exact wherever the text was exact.

Units are read and checked here and gone afterwards: bytes, bytes a second, operations a second and seconds are what remains.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from trainc.dsl import unit_words


class Dimension(Enum):
    """What a number counts; the value is the word that messages use."""

    NUMBER = "number"
    BYTES = "bytes"
    BANDWIDTH = "bandwidth"
    FLOPS = "flops"
    DURATION = "duration"
    STEPS = "steps"
    EPOCHS = "epochs"
    TOKENS = "tokens"
    SAMPLES = "samples"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value in the dimension's base unit: bytes, bytes/s, operations/s, seconds, percent points, or a plain count."""

    value: int | float
    dimension: Dimension = Dimension.NUMBER

    @property
    def fraction(self) -> float:
        """A percentage as a share of one."""
        return self.value / 100


_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
_COUNTS = {"k": 10**3, "M": 10**6, "B": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
_EXTENTS = {
    word: dimension
    for singular, dimension in (
        ("step", Dimension.STEPS),
        ("epoch", Dimension.EPOCHS),
        ("token", Dimension.TOKENS),
        ("sample", Dimension.SAMPLES),
    )
    for word in (singular, singular + "s")
}
_MILLISECONDS = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


def _unit_table() -> dict[str, tuple[int, int, Dimension]]:
    """Each unit's word as numerator, denominator and dimension."""
    table = {"%": (1, 1, Dimension.PERCENT)}
    for prefix, factor in {**_DECIMAL, **_BINARY}.items():
        if prefix != "E":
            table[prefix + "B"] = (factor, 1, Dimension.BYTES)
            table[prefix + "B/s"] = (factor, 1, Dimension.BANDWIDTH)
            table[prefix + "b/s"] = (factor, 8, Dimension.BANDWIDTH)
    table |= {prefix + "FLOPS": (factor, 1, Dimension.FLOPS) for prefix, factor in _DECIMAL.items()}
    table |= {word: (factor, 1_000, Dimension.DURATION) for word, factor in _MILLISECONDS.items()}
    table |= {word: (1, 1, dimension) for word, dimension in _EXTENTS.items()}
    # Bare `B` means billions unless bytes are expected: read_number decides.
    table |= {word: (factor, 1, Dimension.NUMBER) for word, factor in _COUNTS.items()}
    for multiplier, factor in _COUNTS.items():
        table |= {f"{multiplier} {word}": (factor, 1, dimension) for word, dimension in _EXTENTS.items()}
    spelled = {*unit_words.WORDS, unit_words.PERCENT}
    return {word: meaning for word, meaning in table.items() if word in spelled or " " in word}


UNITS = _unit_table()


def read_number(digits: str, unit: str | None, bytes_expected: bool = False) -> Quantity | None:
    """The quantity that a literal means; None where the unit is unknown.

    `8B` is eight billion, or eight bytes where bytes are expected.
    """
    if unit is None:
        return Quantity(_scaled(digits, 1, 1))
    if unit == "B" and bytes_expected:
        return Quantity(_scaled(digits, 1, 1), Dimension.BYTES)
    if unit_words.is_compound_duration(unit):
        terms = unit_words.duration_terms(digits, unit)
        milliseconds = sum(int(_scaled(number, _MILLISECONDS[word], 1)) for number, word in terms)
        return Quantity(_scaled(str(milliseconds), 1, 1_000), Dimension.DURATION)
    if unit in UNITS:
        numerator, denominator, dimension = UNITS[unit]
        return Quantity(_scaled(digits, numerator, denominator), dimension)
    return None


def _scaled(digits: str, numerator: int, denominator: int) -> int | float:
    """`digits` x numerator / denominator as an int where it is whole and written without an exponent's rounding."""
    mantissa, _, exponent = digits.lower().partition("e")
    whole, point, decimals = mantissa.partition(".")
    power = int(exponent or "0") - len(decimals)
    # A literal with a point or exponent and no unit stays a float, so that `1.0` is a number and not a count.
    if (point or exponent) and numerator == denominator == 1:
        return float(digits)
    if abs(power) > 400:
        return float(digits) * numerator / denominator
    top: int = int(whole + decimals) * numerator * 10 ** max(power, 0)
    bottom: int = denominator * 10 ** max(-power, 0)
    return top // bottom if top % bottom == 0 else top / bottom


def format_quantity(quantity: Quantity) -> str:
    """The quantity as a user would write it: `80 GiB`, `400 Gb/s`, `3%`, `500 steps`."""
    value, dimension = quantity.value, quantity.dimension
    match dimension:
        case Dimension.NUMBER:
            return format_number(value)
        case Dimension.PERCENT:
            return f"{format_number(value)}%"
        case Dimension.BYTES:
            return format_bytes(value)
        case Dimension.BANDWIDTH:
            return _with_prefix(value * 8, "b/s")
        case Dimension.FLOPS:
            return _with_prefix(value, "FLOPS")
        case Dimension.DURATION:
            return format_seconds(value)
        case _:
            word = dimension.value[:-1] if value == 1 else dimension.value
            return f"{format_number(value)} {word}"


def format_number(value: int | float) -> str:
    """A plain number, shortest form that reads back the same."""
    return str(value) if isinstance(value, int) else repr(value)


def format_bytes(value: int | float) -> str:
    """Bytes in the binary or decimal unit that shows them shortest."""
    choices = [
        (f"{format_number(_tidy(value / f))} {p}B", f)
        for p, f in {**_BINARY, **_DECIMAL}.items()
        if value / f >= 1 and p + "B" in UNITS
    ]
    choices.sort(key=lambda choice: (len(choice[0]), -choice[1]))
    return choices[0][0] if choices else f"{format_number(value)} B"


def format_gib(value: int | float) -> str:
    """Bytes for people to compare: `1.3 GiB`, `12.0 MiB`."""
    for prefix in ("Ti", "Gi", "Mi", "Ki"):
        if value >= _BINARY[prefix]:
            return f"{value / _BINARY[prefix]:.1f} {prefix}B"
    return f"{value:.0f} B"


def format_count(value: int) -> str:
    """A count for people: `8.0B`, `1.1M`, `512`."""
    for letter, factor in (("T", 10**12), ("B", 10**9), ("M", 10**6), ("k", 10**3)):
        if value >= factor:
            return f"{value / factor:.1f}{letter}"
    return str(value)


def format_seconds(value: int | float) -> str:
    """Seconds in the largest unit that shows them whole."""
    milliseconds = value * 1_000
    for word, factor in reversed(_MILLISECONDS.items()):
        if milliseconds >= factor and milliseconds % factor == 0:
            return f"{int(milliseconds // factor)}{word}"
    return f"{format_number(value)}s"


def _with_prefix(value: int | float, unit: str) -> str:
    for prefix, factor in reversed(_DECIMAL.items()):
        if value >= factor and prefix + unit in UNITS:
            return f"{format_number(_tidy(value / factor))} {prefix}{unit}"
    return f"{format_number(_tidy(value))} {unit}"


def _tidy(value: float) -> int | float:
    return int(value) if value == int(value) else value
