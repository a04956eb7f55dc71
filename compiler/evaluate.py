"""Evaluates expressions lazily: a binding or field is computed when something reads it, once, with its expected type known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import assert_never

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.source import Span
from trainc.dsl.visitor import walk

from . import conversion, hygiene_warnings, name_errors, type_errors
from .amend import amend, members, variant_named
from .apply import apply_binary, apply_call, apply_index, bounded, mismatch, short_enough
from .loader import standard_modules
from .operators import FUNCTIONS
from .resolve import Scope
from .schema import KINDS, REQUIRED, Choice, ListOf, Record, RecordOf, Scalar, Type
from .spec import StageOutput, StageSpec, scalars
from .spec.figures import PlanFigures
from .units import Dimension, Quantity, read_number
from .values import (
    ABSENT,
    POISON,
    Absent,
    FieldScope,
    Given,
    Poison,
    RecordValue,
    Symbol,
    Value,
    Written,
    WrittenText,
    lift,
    lift_record,
    show,
)

PARAM_TYPES: Mapping[str, Type] = {
    "count": scalars.COUNT,
    "number": scalars.NUMBER,
    "bool": scalars.BOOL,
    "string": scalars.STRING,
    "path": scalars.PATH,
    "bytes": scalars.BYTES,
    "bandwidth": scalars.BANDWIDTH,
    "flops": scalars.FLOPS,
    "duration": scalars.DURATION,
    "extent": scalars.EXTENT,
    "percent": scalars.PERCENT,
}


# How many names may stand one behind the other; Python's own stack is the reason for a limit.
DEPTH_LIMIT = 40
# Expressions evaluated for one spec; 20,000 lines take some 30,000.
STEP_LIMIT = 200_000
# Names compared with misspelt ones; a spec of thousands of both would take minutes for what nobody reads.
COMPARISON_LIMIT = 20_000


def param_type(item: ast.Param) -> Type | None:
    """The type of a param; None where it does not exist."""
    name = item.type.text
    base = RecordOf(KINDS[name]) if name in KINDS else PARAM_TYPES.get(name)
    return ListOf(base) if item.is_list and base is not None else base


def _standard_module(name: str) -> str | None:
    """The module of the standard library that an import would bind to a name, if there is one."""
    return next((module for module in standard_modules() if module.rpartition(".")[2] == name), None)


def _located(result: Value | Diagnostic, scope: Scope) -> Value | Diagnostic:
    """A string with the module that it is written in."""
    return WrittenText.at(result, scope.module.label) if isinstance(result, str) else result


class Evaluator:
    """Computes values; collects findings; never computes or reports the same thing twice.

    `settings` are the expressions that `--set` gives to params of the spec; `stages` are planned stages by path.
    """

    def __init__(self, root: Scope, settings: Mapping[str, ast.Expression], stages: Mapping[str, Record] | None = None):
        self.root = root
        self.settings = settings
        self.stages = stages or {}
        self.findings: list[Diagnostic] = []
        self._known: dict[tuple[int, str], tuple[object, Value]] = {}
        self._active: dict[tuple[int, str], str] = {}
        self._steps = 0
        self._compared = 0

    # Bindings and fields

    def binding(self, scope: Scope, name: str, span: Span | None) -> Value:
        """The value that a name is bound to in a module."""
        return self._once(scope, name, span, lambda: self._binding(scope, scope.bindings[name]))

    def field(self, record: RecordValue, name: str, span: Span | None) -> Value:
        """The value of a record's field, checked against its type."""
        return self._once(record, name, span, lambda: self._field(record, name))

    def _once(self, owner: Scope | RecordValue, name: str, span: Span | None, compute: Callable[[], Value]) -> Value:
        key = (id(owner), name)
        if key in self._known:
            return self._known[key][1]
        if key in self._active:
            labels = list(self._active.values())[list(self._active).index(key) :]
            return self._fail(name_errors.cycle([*labels, labels[0]], span))
        if len(self._active) >= DEPTH_LIMIT:
            return self._fail(type_errors.too_deep(DEPTH_LIMIT, span))
        self._active[key] = f"{owner.name}.{name}" if isinstance(owner, RecordValue) and owner.name else name
        value = compute()
        del self._active[key]
        # Keeping the owner alive keeps its id its own.
        self._known[key] = (owner, value)
        return value

    def _binding(self, scope: Scope, item: ast.Import | ast.Param | ast.Let | ast.Declaration) -> Value:
        match item:
            case ast.Import():
                return next((found for name, found in scope.imported.items() if scope.bindings[name] is item), POISON)
            case ast.Let():
                return self.expression(item.value, scope, None)
            case ast.Param():
                return self._param(scope, item)
            case ast.Declaration():
                return self._declaration(scope, item)

    def _param(self, scope: Scope, item: ast.Param) -> Value:
        type = param_type(item)
        if type is None:
            return self._fail(name_errors.unknown_type(item.type, [*PARAM_TYPES, *KINDS]))
        given = self.settings.get(item.name.text) if scope is self.root else None
        value = given or item.default
        if value is None:
            return self._fail(name_errors.missing_param(item.name))
        return self._checked(value, scope, type)

    def _declaration(self, scope: Scope, item: ast.Declaration) -> Value:
        shape = KINDS.get(item.kind.text)
        if shape is None:
            return POISON
        path = item.name.text if scope is self.root else f"{scope.module.label}:{item.name.text}"
        if path in self.stages:
            return lift_record(self.stages[path], item.name.span)
        value = item.value
        if isinstance(value, ast.Block):
            empty = RecordValue(shape, {}, (), item.name.text, item.name.span)
            return amend(empty, value, scope, self.findings)
        base = self._checked(value, scope, RecordOf(shape))
        return base.named(item.name.text, item.name.span) if isinstance(base, RecordValue) else base

    def _field(self, record: RecordValue, name: str) -> Value:
        setting = record.shape.settings[name]
        match record.fields.get(name):
            case None:
                return POISON if setting.default is REQUIRED else lift(setting.default, setting.type)
            case Given(value):
                return lift(value, setting.type)
            case Poison() as failed:
                return failed
            case Written(_, value, scope) as entry:
                if isinstance(value, ast.Block):
                    return self._amended_field(record, entry)
                return self._optional(value, scope, setting.type) if setting.optional else self._checked(value, scope, setting.type)

    def _optional(self, expression: ast.Expression, scope: Scope, type: Type) -> Value:
        """The value of a field that `none` leaves out, also in a branch of a condition."""
        match expression:
            case ast.Reference(name="none") if "none" not in scope.bindings:
                return ABSENT
            case ast.Reference(name="None" | "null" as name) if name not in scope.bindings:
                return self._fail(name_errors.unknown_name(name, expression.span, ["none"]))
            case ast.Conditional():
                condition = self._truth(expression.condition, scope)
                if condition is None:
                    return POISON
                taken, other = (expression.consequence, expression.alternative)[:: 1 if condition else -1]
                self._unknown_names(other, scope, type)
                return self._optional(taken, scope, type)
        return self._checked(expression, scope, type)

    def _amended_field(self, record: RecordValue, entry: Written) -> Value:
        name = entry.name.text
        type = record.shape.settings[name].type
        base: Value = ABSENT
        if entry.base is not None:
            base = self.field(record.with_entry(name, entry.base), name, entry.name.span)
        elif record.shape.settings[name].default is not REQUIRED:
            base = lift(record.shape.settings[name].default, type)
        if isinstance(base, Absent) and isinstance(type, RecordOf) and not type.shape.variants:
            base = RecordValue(type.shape, {}, (), "", entry.name.span)
        if isinstance(base, Poison):
            return base
        if not isinstance(base, RecordValue) or not isinstance(entry.value, ast.Block):
            return self._fail(type_errors.mismatch(f"`{name} = ...`", "a block, with nothing to amend", entry.name.span))
        return amend(base, entry.value, entry.scope, self.findings)

    def _checked(self, expression: ast.Expression, scope: Scope, type: Type) -> Value:
        value = self.expression(expression, scope, type)
        if isinstance(value, Poison | Absent):
            return value
        fault = conversion.check(value, type, expression.span)
        return self._fail(fault) if fault else value

    # Expressions

    def expression(self, node: ast.Expression, scope: Scope, expected: Type | None) -> Value:
        """The value of an expression; `expected` decides what bare names and a bare `B` mean."""
        self._steps += 1
        if self._steps >= STEP_LIMIT:
            return self._fail(type_errors.too_many_steps(STEP_LIMIT, node.span)) if self._steps == STEP_LIMIT else POISON
        match node:
            case ast.Number():
                return self._number(node, expected)
            case ast.String():
                return self._string(node, scope)
            case ast.Boolean():
                return node.value
            case ast.Reference():
                return self.reference(node, scope, expected)
            case ast.Member():
                return self._member(node, scope)
            case ast.Index():
                return self._index(node, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.Unary():
                return self._unary(node, scope)
            case ast.Binary():
                return self._binary(node, scope)
            case ast.Conditional():
                condition = self._truth(node.condition, scope)
                if condition is None:
                    return POISON
                taken, other = (node.consequence, node.alternative)[:: 1 if condition else -1]
                self._unknown_names(other, scope, expected)
                return self.expression(taken, scope, expected)
            case ast.ListLiteral():
                return self._list(node, scope, expected)
            case ast.Amend():
                base = self.expression(node.base, scope, expected)
                if isinstance(base, RecordValue):
                    return amend(base, node.block, scope, self.findings)
                return base if isinstance(base, Poison) else self._mismatch("a record", base, node.base.span)
            case _:
                assert_never(node)

    def _number(self, node: ast.Number, expected: Type | None) -> Value:
        wants_bytes = isinstance(expected, Scalar) and Dimension.BYTES in expected.dimensions
        try:
            quantity = read_number(node.digits, node.unit, wants_bytes)
        except (ValueError, OverflowError):
            return self._fail(type_errors.too_large(node.span))
        assert quantity is not None, "the lexer takes no other unit"
        return self._settled(bounded(quantity, node.span))

    def _string(self, node: ast.String, scope: Scope) -> Value:
        pieces: list[str] = []
        for part in node.parts:
            value = part if isinstance(part, str) else self.expression(part, scope, None)
            if isinstance(value, Poison):
                return value
            pieces.append(value if isinstance(value, str) else show(value))
        return self._settled(_located(short_enough("".join(pieces), node.span), scope))

    def reference(self, node: ast.Reference, scope: Scope, expected: Type | None) -> Value:
        """A bare name: an enum member before a binding, a binding before a variant."""
        if isinstance(expected, Choice):
            if node.name in expected.members:
                self._say_who_wins(node, scope)
                return Symbol(node.name, expected)
            if node.name not in scope.bindings:
                return self._fail(name_errors.unknown_choice(node.name, node.span, expected.members))
        if isinstance(expected, Scalar) and expected.auto and node.name == "auto" and "auto" not in scope.bindings:
            return self._fail(type_errors.needs_planner("auto", node.span))
        if isinstance(scope, FieldScope):
            if node.name in scope.record.shape.settings:
                value = self.field(scope.record, node.name, node.span)
                return self._fail(type_errors.left_out(node.name, node.span)) if isinstance(value, Absent) else value
            scope = scope.outer
        family = expected.shape if isinstance(expected, RecordOf) and expected.shape.variants else None
        if family is not None and node.name in family.variants:
            self._say_who_wins(node, scope)
            return RecordValue(family.variants[node.name], {}, (), "", node.span)
        if node.name in scope.bindings:
            return self.binding(scope, node.name, node.span)
        if family is not None:
            return self._fail(name_errors.unknown_choice(node.name, node.span, list(family.variants)))
        variant = variant_named(node.name)
        # A kind is never a variant: what is wanted there is a declaration of that name.
        if variant is not None and not (isinstance(expected, RecordOf) and expected.shape.kind):
            return RecordValue(variant, {}, (), "", node.span)
        if node.span.source.text.startswith(".", node.span.end) and (module := _standard_module(node.name)):
            return self._fail(name_errors.unknown_name(node.name, node.span, (), module))
        # The name of an import that failed stands for nothing.
        bound = self._comparable(scope.bindings)
        known = [name for name in bound if name in scope.imported or not isinstance(scope.bindings[name], ast.Import)]
        return self._fail(name_errors.unknown_name(node.name, node.span, known))

    def _unknown_names(self, node: ast.Expression, scope: Scope, expected: Type | None) -> None:
        """Reports names in an expression that is not evaluated which mean nothing anywhere."""
        fields = scope.record.shape.settings if isinstance(scope, FieldScope) else {}
        known = scope.outer.bindings if isinstance(scope, FieldScope) else scope.bindings
        for part in walk(node):
            if isinstance(part, ast.Reference) and not (part.name in known or part.name in fields or part.name in members()):
                choices = expected.members if isinstance(expected, Choice) and part is node else ()
                self._fail(name_errors.unknown_name(part.name, part.span, self._comparable([*known, *fields, *choices])))

    def _member(self, node: ast.Member, scope: Scope) -> Value:
        base = self.expression(node.base, scope, None)
        name = node.name.text
        match base:
            case Poison():
                return base
            case Scope():
                if name in base.bindings:
                    return self.binding(base, name, node.name.span)
                return self._fail(
                    name_errors.unknown_member(f"module `{base.module.label}`", node.name, self._comparable(base.bindings))
                )
            case RecordValue():
                return self._record_member(base, node)
        return self._mismatch("a record or module", base, node.base.span)

    def _record_member(self, base: RecordValue, node: ast.Member) -> Value:
        name = node.name.text
        if name not in base.shape.settings:
            if name == "plan" and base.shape is StageSpec:
                return self._fail(type_errors.only_after_planning(f"{base.name}.plan", node.span))
            described = f"`{base.name or base.shape.title}`"
            return self._fail(name_errors.unknown_member(described, node.name, base.shape.settings))
        value = self.field(base, name, node.span)
        if isinstance(value, Absent) and base.shape.settings[name].later is True:
            return self._fail(type_errors.needs_planner(f"{base.name or base.shape.title}.{name}", node.span))
        if isinstance(value, Absent) and base.shape is PlanFigures:
            return self._fail(type_errors.known_from_data(f"{base.name or base.shape.title}.{name}", node.span))
        if isinstance(value, Absent):
            return self._fail(type_errors.left_out(f"{base.name or base.shape.title}.{name}", node.span))
        if base.shape is StageSpec and name == "model" and isinstance(value, RecordValue):
            # Naming another stage's model means what that stage makes of it.
            whole = {"quantization": "none", "double_quantization": None}
            output = value.with_given(source=StageOutput(stage=base.name), tokenizer=None, **whole)
            return output.named(f"{base.name}.model", value.span or node.span)
        return value

    def _index(self, node: ast.Index, scope: Scope) -> Value:
        base = self.expression(node.base, scope, None)
        position = self.expression(node.position, scope, None)
        if isinstance(base, Poison) or isinstance(position, Poison):
            return POISON
        return self._settled(apply_index(node, base, position))

    def _list(self, node: ast.ListLiteral, scope: Scope, expected: Type | None) -> Value:
        item = expected.item if isinstance(expected, ListOf) else None
        values = [
            self.expression(entry, scope, None) if item is None else self._checked(entry, scope, item) for entry in node.items
        ]
        return POISON if any(isinstance(value, Poison) for value in values) else tuple(values)

    # Operators

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        name = node.function.text
        if name not in FUNCTIONS:
            return self._fail(name_errors.unknown_function(node.function, FUNCTIONS))
        values = [self.expression(argument, scope, None) for argument in node.arguments]
        if any(isinstance(value, Poison) for value in values):
            return POISON
        return self._settled(apply_call(node, values))

    def _unary(self, node: ast.Unary, scope: Scope) -> Value:
        if node.operator == "not":
            truth = self._truth(node.operand, scope)
            return POISON if truth is None else not truth
        value = self.expression(node.operand, scope, None)
        if isinstance(value, Quantity):
            return Quantity(-value.value, value.dimension)
        return value if isinstance(value, Poison) else self._mismatch("a number", value, node.operand.span)

    def _binary(self, node: ast.Binary, scope: Scope) -> Value:
        if node.operator in ("and", "or"):
            left = self._truth(node.left, scope)
            if left is None or left is (node.operator == "or"):
                return POISON if left is None else left
            right = self._truth(node.right, scope)
            return POISON if right is None else right
        first, second = self._sides(node, scope)
        if isinstance(first, Poison) or isinstance(second, Poison):
            return POISON
        return self._settled(_located(apply_binary(node, first, second), scope))

    def _sides(self, node: ast.Binary, scope: Scope) -> tuple[Value, Value]:
        """Both operands; an enum on one side tells what a bare name on the other means."""
        if isinstance(node.left, ast.Reference) and not isinstance(node.right, ast.Reference) and node.left.name in members():
            second = self.expression(node.right, scope, None)
            return self.expression(node.left, scope, second.choice if isinstance(second, Symbol) else None), second
        first = self.expression(node.left, scope, None)
        return first, self.expression(node.right, scope, first.choice if isinstance(first, Symbol) else None)

    def _truth(self, node: ast.Expression, scope: Scope) -> bool | None:
        value = self.expression(node, scope, None)
        if isinstance(value, bool):
            return value
        if not isinstance(value, Poison):
            self._mismatch("a bool", value, node.span)
        return None

    # Findings

    def _comparable(self, names: Collection[str]) -> Collection[str]:
        """The names that a misspelt one may be compared with: none once enough have been."""
        self._compared += len(names)
        return names if self._compared <= COMPARISON_LIMIT else ()

    def _say_who_wins(self, node: ast.Reference, scope: Scope) -> None:
        binding = scope.bindings.get(node.name)
        # A declaration or an import is never what a field of words takes, so nobody can have meant it.
        if isinstance(binding, ast.Let | ast.Param):
            self.findings.append(hygiene_warnings.member_wins(node.name, node.span, binding.name.span))

    def _settled(self, result: Value | Diagnostic) -> Value:
        return self._fail(result) if isinstance(result, Diagnostic) else result

    def _mismatch(self, wanted: str, value: Value, span: Span) -> Value:
        return self._fail(mismatch(wanted, value, span))

    def _fail(self, finding: Diagnostic) -> Value:
        self.findings.append(finding)
        return POISON
