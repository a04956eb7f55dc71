"""Applies operators, functions and indices to values that are known; gives the result, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from trainc.dsl import ast
from trainc.dsl.counting import counted
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.source import Span

from . import type_errors
from .operators import COMPARISONS, FUNCTIONS, call, combine
from .units import Quantity
from .values import RecordValue, Value, show, word

# Below the largest float, so that no arithmetic ever meets an infinity.
LARGEST = 1e300
# Items of a list, characters of a string.
LONGEST = 100_000


def apply_binary(node: ast.Binary, left: Value, right: Value) -> Value | Diagnostic:
    """`left operator right`; `and` and `or` are not among them, because they may leave their right side alone."""
    match node.operator, left, right:
        case "in" | "not in", _, tuple():
            if any(word(item) != word(left) for item in right if isinstance(left, Quantity) or isinstance(item, Quantity)):
                return _incompatible(node, left, next(item for item in right if word(item) != word(left)))
            return (left in right) is (node.operator == "in")
        case "in" | "not in", _, _:
            return mismatch("a list", right, node.right.span)
        case "+", str(), str():
            return short_enough(left + right, node.span)
        case "+", tuple(), tuple():
            return short_enough(left + right, node.span)
        case _, Quantity(), Quantity():
            return _join_quantities(node, left, right)
        case "==" | "!=", RecordValue(), RecordValue():
            return type_errors.records_compared(node.span)
        case "==" | "!=", _, _ if type(left) is type(right):
            return (left == right) is (node.operator == "==")
    return _incompatible(node, left, right)


def apply_call(node: ast.Call, values: Sequence[Value]) -> Value | Diagnostic:
    """A function of the language over its arguments, or over the items of a list that is the only one."""
    name, count = node.function.text, FUNCTIONS[node.function.text]
    if name == "len" and len(values) == 1 and isinstance(values[0], tuple | str):
        return Quantity(len(values[0]))
    items = values[0] if count is None and len(values) == 1 and isinstance(values[0], tuple) else values
    quantities = [value for value in items if isinstance(value, Quantity)]
    fits = len(quantities) == len(items) and quantities and name != "len" and count in (None, len(items))
    if fits:
        result = _calculated(lambda: call(name, quantities), node.span)
        if result is not None:
            return result
    wanted = counted(count, "value") if count else "values of one dimension"
    return type_errors.wrong_arguments(name, wanted, f"({', '.join(map(word, values))})", node.span)


def apply_index(node: ast.Index, base: Value, position: Value) -> Value | Diagnostic:
    """The item of a list at a position."""
    if not isinstance(base, tuple):
        return mismatch("a list", base, node.base.span)
    if not isinstance(position, Quantity) or not isinstance(position.value, int):
        return mismatch("a count", position, node.position.span)
    if not 0 <= position.value < len(base):
        return type_errors.bad_index(show(position), len(base), node.position.span)
    found: Value = base[position.value]
    return found


def bounded(quantity: Quantity, span: Span) -> Quantity | Diagnostic:
    """The quantity, unless it is too large to compute with."""
    return type_errors.too_large(span) if abs(quantity.value) > LARGEST else quantity


def short_enough(value: str | tuple[Any, ...], span: Span) -> Value | Diagnostic:
    """The string or list, unless it is longer than any spec needs."""
    if len(value) <= LONGEST:
        return value
    return type_errors.too_long("string" if isinstance(value, str) else "list", LONGEST, span)


def mismatch(wanted: str, value: Value, span: Span) -> Diagnostic:
    """A value of the wrong sort, in the user's words."""
    return type_errors.mismatch(wanted, f"{word(value)} `{show(value)}`", span)


def _join_quantities(node: ast.Binary, left: Quantity, right: Quantity) -> Value | Diagnostic:
    operator = node.operator
    if operator in ("==", "!=", *COMPARISONS):
        if left.dimension is not right.dimension:
            return _incompatible(node, left, right)
        if operator in COMPARISONS:
            return COMPARISONS[operator](left.value, right.value)
        return (left.value == right.value) is (operator == "==")
    result = _calculated(lambda: combine(operator, left, right), node.span)
    return _incompatible(node, left, right) if result is None else result


def _calculated(compute: Callable[[], Quantity | None], span: Span) -> Quantity | Diagnostic | None:
    try:
        result = compute()
    except ZeroDivisionError:
        return type_errors.division_by_zero(span)
    except (OverflowError, ValueError):
        return type_errors.too_large(span)
    return None if result is None else bounded(result, span)


def _incompatible(node: ast.Binary, left: Value, right: Value) -> Diagnostic:
    sides = ((word(value), show(value), side.span) for value, side in ((left, node.left), (right, node.right)))
    return type_errors.dimensions(node.operator, *sides)
