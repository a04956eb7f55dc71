"""Finds what every word of a module means, once for all features, by the evaluator's own rules."""

from __future__ import annotations

from trainc.dsl import ast
from trainc.dsl.source import Span

from ..amend import variant_named
from ..evaluate import PARAM_TYPES, Evaluator, param_type
from ..operators import FUNCTIONS
from ..resolve import Scope
from ..schema import KINDS, Choice, ListOf, Record, RecordOf, Type
from ..spec import StageSpec
from ..spec.figures import PlanFigures
from ..values import POISON, FieldScope, RecordValue, Symbol, Value, Written
from .index import BlockAt, Index, Slot
from .targets import (
    FieldTarget,
    FunctionTarget,
    MemberTarget,
    ModuleTarget,
    NameTarget,
    Occurrence,
    ShapeTarget,
    Target,
    TypeTarget,
)


def index(scope: Scope, evaluator: Evaluator) -> Index:
    """The index of a module. Values are computed by `evaluator`, whose findings do not matter here."""
    walk = _Walk(scope, evaluator)
    for item in scope.module.file.items:
        walk.item(item)
    occurrences = sorted(walk.occurrences, key=lambda occurrence: occurrence.span.start)
    return Index(tuple(occurrences), tuple(walk.blocks), tuple(walk.slots))


class _Walk:
    def __init__(self, scope: Scope, evaluator: Evaluator):
        self.scope = scope
        self.evaluator = evaluator
        self.occurrences: list[Occurrence] = []
        self.blocks: list[BlockAt] = []
        self.slots: list[Slot] = []

    def add(self, span: Span, target: Target, declares: bool = False) -> None:
        self.occurrences.append(Occurrence(span, target, declares))

    # Items

    def item(self, item: ast.Item) -> None:
        match item:
            case ast.Import():
                self.imported(item)
            case ast.Assert():
                self.assertion(item, self.scope)
            case ast.Param():
                self.declared(item.name)
                if item.type.text in KINDS:
                    self.add(item.type.span, ShapeTarget(KINDS[item.type.text]))
                elif item.type.text in PARAM_TYPES:
                    self.add(item.type.span, TypeTarget(item.type.text))
                if item.default is not None:
                    self.expression(item.default, self.scope, param_type(item))
            case ast.Let():
                self.declared(item.name)
                self.expression(item.value, self.scope, None, value=self.bound(item))
            case ast.Declaration():
                self.declaration(item)

    def imported(self, item: ast.Import) -> None:
        module = self.scope.module.imports.get(item.target)
        if module is not None:
            self.add(item.target_span, ModuleTarget(module))
        if item.alias is not None:
            self.declared(item.alias)

    def declared(self, name: ast.Name) -> None:
        if name.text in self.scope.bindings:
            self.add(name.span, NameTarget(self.scope, name.text), declares=True)

    def bound(self, item: ast.Let | ast.Declaration) -> Value | None:
        """The value of an item, unless another of the same name came first."""
        name = item.name.text
        return self.evaluator.binding(self.scope, name, None) if self.scope.bindings.get(name) is item else None

    def declaration(self, item: ast.Declaration) -> None:
        shape = KINDS.get(item.kind.text)
        if shape is not None:
            self.add(item.kind.span, ShapeTarget(shape))
        self.declared(item.name)
        value = self.bound(item)
        if isinstance(item.value, ast.Block):
            self.block(item.value, self.scope, shape, value, None)
        else:
            self.expression(item.value, self.scope, RecordOf(shape) if shape else None, value=value)

    def assertion(self, node: ast.Assert, scope: Scope) -> None:
        self.expression(node.condition, scope, None)
        if node.reason is not None:
            self.expression(node.reason, scope, None)

    # Blocks

    def block(
        self, node: ast.Block, scope: Scope, shape: type[Record] | None, value: Value | None, base: RecordValue | None
    ) -> None:
        record = value if isinstance(value, RecordValue) else None
        shape = record.shape if record is not None else shape
        self.blocks.append(BlockAt(node, scope, shape, record, base))
        for entry in node.entries:
            if isinstance(entry, ast.Assert):
                self.assertion(entry, _field_scope(scope, record))
            elif shape is not None and entry.name.text in shape.settings:
                self.field(entry, scope, FieldTarget(shape, entry.name.text, record, base))
            elif isinstance(entry.value, ast.Block):
                self.block(entry.value, scope, None, None, None)
            else:
                self.expression(entry.value, scope, None)

    def field(self, entry: ast.Field, scope: Scope, target: FieldTarget) -> None:
        self.add(entry.name.span, target)
        wanted = target.setting.type
        value = self.evaluator.field(target.record, target.name, None) if target.record is not None else None
        if isinstance(entry.value, ast.Block):
            self.block(entry.value, scope, wanted.shape if isinstance(wanted, RecordOf) else None, value, self.inner_base(target))
        else:
            self.expression(entry.value, scope, wanted, of=target, value=value)

    def inner_base(self, target: FieldTarget) -> RecordValue | None:
        """What the block of a field amends: the field as it was before."""
        written = target.record.fields.get(target.name) if target.record is not None else None
        if target.record is None or not isinstance(written, Written) or written.base is None:
            return None
        found = self.evaluator.field(target.record.with_entry(target.name, written.base), target.name, None)
        return found if isinstance(found, RecordValue) else None

    # Expressions

    def expression(
        self,
        node: ast.Expression,
        scope: Scope,
        expected: Type | None,
        *,
        of: FieldTarget | None = None,
        value: Value | None = None,
    ) -> None:
        self.slots.append(Slot(node, scope, expected, of))
        match node:
            case ast.Reference():
                target = _referred(node, scope, expected, of)
                if target is not None:
                    self.add(node.span, target)
            case ast.Member():
                self.member(node, scope)
            case ast.Amend():
                self.amended(node, scope, expected, of, value)
            case ast.ListLiteral():
                item = expected.item if isinstance(expected, ListOf) else None
                for entry in node.items:
                    self.expression(entry, scope, item, of=of)
            case ast.Conditional():
                self.expression(node.condition, scope, None)
                self.expression(node.consequence, scope, expected, of=of)
                self.expression(node.alternative, scope, expected, of=of)
            case ast.Binary():
                right_tells = not isinstance(node.right, ast.Reference)
                self.expression(node.left, scope, self.told_by(node.right, node.left, scope) if right_tells else None)
                self.expression(node.right, scope, self.told_by(node.left, node.right, scope))
            case ast.Unary():
                self.expression(node.operand, scope, None)
            case ast.Call():
                if node.function.text in FUNCTIONS:
                    self.add(node.function.span, FunctionTarget(node.function.text))
                for argument in node.arguments:
                    self.expression(argument, scope, None)
            case ast.Index():
                self.expression(node.base, scope, None)
                self.expression(node.position, scope, None)
            case ast.String():
                for part in node.parts:
                    if not isinstance(part, str):
                        self.expression(part, scope, None)

    def told_by(self, other: ast.Expression, node: ast.Expression, scope: Scope) -> Type | None:
        """An enum on one side tells what a bare name on the other means."""
        if not isinstance(node, ast.Reference):
            return None
        value = self.evaluator.expression(other, scope, None)
        return value.choice if isinstance(value, Symbol) else None

    def amended(self, node: ast.Amend, scope: Scope, expected: Type | None, of: FieldTarget | None, value: Value | None) -> None:
        self.expression(node.base, scope, expected, of=of)
        base = self.evaluator.expression(node.base, scope, expected)
        if not isinstance(value, RecordValue):
            value = self.evaluator.expression(node, scope, expected)
        shape = expected.shape if isinstance(expected, RecordOf) and not expected.shape.variants else None
        self.block(node.block, scope, shape, value, base if isinstance(base, RecordValue) else None)

    def member(self, node: ast.Member, scope: Scope) -> None:
        self.expression(node.base, scope, None)
        base = owner(node.base, scope, self.evaluator)
        name = node.name.text
        if isinstance(base, Scope) and name in base.bindings:
            self.add(node.name.span, NameTarget(base, name))
        elif isinstance(base, RecordValue) and name in base.shape.settings:
            self.add(node.name.span, FieldTarget(base.shape, name, base))
        elif isinstance(base, type) and name in base.settings:
            self.add(node.name.span, FieldTarget(base, name))


def owner(node: ast.Expression, scope: Scope, evaluator: Evaluator) -> Value | type[Record]:
    """What stands before a dot; a stage's plan, which has no value before planning, is known by its shape."""
    if isinstance(node, ast.Member):
        base = owner(node.base, scope, evaluator)
        if isinstance(base, RecordValue) and base.shape is StageSpec and node.name.text == "plan":
            return PlanFigures
        if isinstance(base, type):
            wanted = base.settings[node.name.text].type if node.name.text in base.settings else None
            return wanted.shape if isinstance(wanted, RecordOf) else POISON
    return evaluator.expression(node, scope, None)


def _referred(node: ast.Reference, scope: Scope, expected: Type | None, of: FieldTarget | None) -> Target | None:
    """What a bare name means, by the evaluator's own order: an enum member, a field, a variant, a binding."""
    name = node.name
    if isinstance(expected, Choice) and name in expected.members:
        return MemberTarget(expected, name, of)
    if isinstance(scope, FieldScope):
        if name in scope.record.shape.settings:
            return FieldTarget(scope.record.shape, name, scope.record)
        scope = scope.outer
    if isinstance(expected, RecordOf) and name in expected.shape.variants:
        return ShapeTarget(expected.shape.variants[name])
    if name in scope.bindings:
        return NameTarget(scope, name)
    variant = variant_named(name)
    return ShapeTarget(variant) if variant is not None else None


def _field_scope(scope: Scope, record: RecordValue | None) -> Scope:
    if record is None:
        return scope
    return FieldScope(scope.module, scope.bindings, scope.imported, record, scope)
