"""Semantic tokens: colours by meaning, which a grammar of regular expressions cannot know."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types
from trainc.dsl import ast
from trainc.dsl.lexer import WORDS, lex
from trainc.dsl.source import Span

from .spot import Spot
from .targets import FieldTarget, FunctionTarget, MemberTarget, ModuleTarget, NameTarget, Occurrence, ShapeTarget

_Type = types.SemanticTokenTypes
_Modifier = types.SemanticTokenModifiers

TYPES = (
    *(_Type.Namespace, _Type.Type, _Type.Struct, _Type.Class, _Type.Parameter, _Type.Variable),
    *(_Type.Property, _Type.EnumMember, _Type.Function, _Type.Keyword, _Type.Comment, _Type.String, _Type.Number),
)
MODIFIERS = (_Modifier.Declaration, _Modifier.Readonly, _Modifier.DefaultLibrary, _Modifier.Documentation)
LEGEND = types.SemanticTokensLegend([kind.value for kind in TYPES], [modifier.value for modifier in MODIFIERS])

_KEYWORDS = frozenset(WORDS.values())
_Token = tuple[Span, types.SemanticTokenTypes, tuple[types.SemanticTokenModifiers, ...]]


def semantic_tokens(spot: Spot) -> types.SemanticTokens:
    """Every word, number, string and comment of a document in the protocol's encoding: each relative to the one before."""
    data: list[int] = []
    line = character = end = 0
    for span, kind, modifiers in sorted(_lines_of(_tokens(spot)), key=lambda token: token[0].start):
        if span.start < end:
            continue
        end = span.end
        place = spot.lines.position(span.start)
        character = 0 if place.line != line else character
        bits = sum(1 << MODIFIERS.index(modifier) for modifier in modifiers)
        length = spot.lines.units(span.start, span.end)
        data += [place.line - line, place.character - character, length, TYPES.index(kind), bits]
        line, character = place.line, place.character
    return types.SemanticTokens(data)


def _tokens(spot: Spot) -> Iterator[_Token]:
    # Meaning first: sorting keeps it before the plain word at the same place.
    for occurrence in spot.view.index.occurrences:
        if not (isinstance(occurrence.target, ModuleTarget) and occurrence.span.text.startswith('"')):
            yield occurrence.span, *_meant(occurrence)
    source = spot.view.file.source
    for comment in spot.view.file.comments:
        is_doc = comment.text.startswith("##") and not comment.text.startswith("###")
        yield comment.span, _Type.Comment, (_Modifier.Documentation,) if is_doc else ()
    for kind, start, end in lex(source).tokens:
        span = Span(source, start, end)
        if kind in _KEYWORDS:
            yield span, _Type.Keyword, ()
        elif kind in ("NUMBER", "STRING"):
            yield span, _Type.Number if kind == "NUMBER" else _Type.String, ()


def _meant(occurrence: Occurrence) -> tuple[types.SemanticTokenTypes, tuple[types.SemanticTokenModifiers, ...]]:
    declares = (_Modifier.Declaration,) if occurrence.declares else ()
    match occurrence.target:
        case NameTarget(scope) as target:
            shipped = (_Modifier.DefaultLibrary,) if scope.module.is_standard else ()
            return _named(target), (*declares, *shipped)
        case FieldTarget():
            return _Type.Property, ()
        case MemberTarget():
            return _Type.EnumMember, ()
        case ShapeTarget(shape):
            return (_Type.Struct if shape.kind else _Type.Class), (_Modifier.DefaultLibrary,)
        case ModuleTarget():
            return _Type.Namespace, ()
        case FunctionTarget():
            return _Type.Function, (_Modifier.DefaultLibrary,)
    return _Type.Type, (_Modifier.DefaultLibrary,)


def _named(target: NameTarget) -> types.SemanticTokenTypes:
    match target.binding:
        case ast.Import():
            return _Type.Namespace
        case ast.Param():
            return _Type.Parameter
    return _Type.Variable


def _lines_of(tokens: Iterator[_Token]) -> Iterator[_Token]:
    """The same with those of several lines cut at the ends of lines: not every editor takes them whole."""
    for span, kind, modifiers in tokens:
        start = span.start
        for piece in span.text.splitlines(keepends=True):
            length = len(piece.rstrip("\r\n"))
            if length:
                yield Span(span.source, start, start + length), kind, modifiers
            start += len(piece)
