"""Arithmetic, comparison and the language's functions over quantities, with their dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce

from .units import Dimension, Quantity

Number = int | float
NUMBER, PERCENT = Dimension.NUMBER, Dimension.PERCENT

# Products of two dimensions that have a name; quotients follow from them.
_PRODUCTS = {(Dimension.BANDWIDTH, Dimension.DURATION): Dimension.BYTES}


def combine(operator: str, left: Quantity, right: Quantity) -> Quantity | None:
    """The result of an arithmetic operator; None where the dimensions do not go together. May raise ZeroDivisionError."""
    if operator in ("+", "-"):
        return _sum(operator, left, right)
    if operator == "*":
        return _product(left, right)
    return _quotient(operator, left, right)


def _sum(operator: str, left: Quantity, right: Quantity) -> Quantity | None:
    if left.dimension is not right.dimension:
        return None
    value = left.value + right.value if operator == "+" else left.value - right.value
    return Quantity(value, left.dimension)


def _product(left: Quantity, right: Quantity) -> Quantity | None:
    for one, other in ((left, right), (right, left)):
        if other.dimension is PERCENT and one.dimension is not PERCENT:
            return Quantity(_divide(one.value * other.value, 100), one.dimension)
        if other.dimension is NUMBER:
            return Quantity(one.value * other.value, one.dimension)
        if (product := _PRODUCTS.get((one.dimension, other.dimension))) is not None:
            return Quantity(one.value * other.value, product)
    return None


def _quotient(operator: str, left: Quantity, right: Quantity) -> Quantity | None:
    dimension = _quotient_dimension(operator, left.dimension, right.dimension)
    if dimension is None:
        return None
    if operator == "//":
        return Quantity(left.value // right.value, dimension)
    if operator == "%":
        return Quantity(left.value % right.value, dimension)
    return Quantity(_divide(left.value, right.value), dimension)


def _quotient_dimension(operator: str, left: Dimension, right: Dimension) -> Dimension | None:
    if left is right:
        return left if operator == "%" else NUMBER
    if right is NUMBER:
        return left
    for (one, other), product in _PRODUCTS.items():
        if left is product and right in (one, other) and operator == "/":
            return other if right is one else one
    return None


def _divide(left: Number, right: Number) -> Number:
    """An int where the division leaves no rest, else a float."""
    if isinstance(left, int) and isinstance(right, int) and left % right == 0:
        return left // right
    return left / right


COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}

# Each function's number of arguments: None stands for one or more, or a single list.
FUNCTIONS: dict[str, int | None] = {
    "min": None,
    "max": None,
    "sum": None,
    "len": 1,
    "ceil": 1,
    "floor": 1,
    "round": 1,
    "abs": 1,
    "mod": 2,
    "gcd": None,
}

_ROUNDING: dict[str, Callable[[Number], Number]] = {"ceil": math.ceil, "floor": math.floor, "round": round, "abs": abs}
_FOLDS: dict[str, Callable[[Sequence[Number]], Number]] = {"min": min, "max": max, "sum": sum}


def call(function: str, arguments: Sequence[Quantity]) -> Quantity | None:
    """The value of a function over quantities; None where their dimensions differ or gcd meets a fraction."""
    first = arguments[0]
    if any(argument.dimension is not first.dimension for argument in arguments):
        return None
    values = [argument.value for argument in arguments]
    if function in _ROUNDING:
        return Quantity(_ROUNDING[function](first.value), first.dimension)
    if function == "mod":
        return Quantity(values[0] % values[1], first.dimension)
    if function == "gcd":
        whole = [value for value in values if isinstance(value, int)]
        return Quantity(reduce(math.gcd, whole), first.dimension) if len(whole) == len(values) else None
    return Quantity(_FOLDS[function](values), first.dimension)
