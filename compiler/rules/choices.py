"""Choices that rules suggest: numbers near the one that was written, and the words that list them."""

from __future__ import annotations

from collections.abc import Iterable
from math import isqrt


def one_of(field: str, values: Iterable[int]) -> str:
    """The values that a field may take: "`tp = 2`, `4` or `8`"."""
    first, *others = values
    words = [f"`{field} = {first}`", *(f"`{value}`" for value in others)]
    return " or ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def divisors(number: int) -> list[int]:
    """The divisors of a number, ascending; of a number beyond 10^12 those below 10^6 and what they leave."""
    small = [divisor for divisor in range(1, min(isqrt(number), 10**6) + 1) if number % divisor == 0]
    return sorted({*small, *(number // divisor for divisor in small)})


def nearest(wanted: int, choices: Iterable[int]) -> int:
    """The choice nearest to a number, the smaller of two."""
    return min(choices, key=lambda choice: (abs(choice - wanted), choice))
