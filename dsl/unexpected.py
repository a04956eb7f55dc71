"""Says what is wrong with a token that does not fit: the first fault of the list that the place looks like."""

from __future__ import annotations

from . import syntax_errors
from .diagnostics import Diagnostic
from .hints import hint
from .place import Place
from .source import Span

_OPERATORS = frozenset(("PLUS", "MINUS", "TIMES", "COMPARE", "AND", "OR", "NOT", "IN", "DOT", "IF", "THEN", "ELSE"))
_ENTRY_ENDS = frozenset(("NEWLINE", "RBRACE", "END"))
_RESERVED = frozenset(("IF", "THEN", "ELSE", "AND", "OR", "NOT", "IN", "TRUE", "FALSE"))
_ITEM_WORDS = frozenset(("IMPORT", "PARAM", "LET"))
_VALUE_STARTS = frozenset(("NAME", "NUMBER", "STRING", "TEMPLATE", "LBRACK", "TRUE", "FALSE", "IF", "LPAREN"))

# What can be expected, in the user's words, each with a token that stands for it; the first four that fit are named.
_EXPECTED = (
    ("NUMBER", "a value"),
    ("NAME", "a name"),
    ("EQUAL", "`=`"),
    ("LBRACE", "`{`"),
    ("COLON", "`:` and a type"),
    ("THEN", "`then`"),
    ("ELSE", "`else`"),
    ("RBRACK", "`]`"),
    ("RPAREN", "`)`"),
    ("COMMA", "`,`"),
    ("NEWLINE", "the end of the line"),
    ("RBRACE", "`}`"),
    ("END", "the end"),
)
_IMPLIED = {
    "NUMBER": ("NAME", "LBRACE", "RBRACK", "RPAREN", "THEN", "ELSE"),
    "NAME": ("THEN", "ELSE"),
    "EQUAL": ("COLON",),
    "NEWLINE": ("RBRACE", "END", "COMMA"),
}


def describe(place: Place) -> Diagnostic:
    """The one finding for a token that does not fit."""
    for fault in (_bracket, _brace, _foreign, _unit, _assignment, _item_in_block, _reserved, _missing, _list, _chain):
        if (finding := fault(place)) is not None:
            return finding
    return syntax_errors.unexpected(place.span(), _found(place), _expected(place), hint(place))


def _bracket(place: Place) -> Diagnostic | None:
    return syntax_errors.stray_bracket(place.span()) if place.kind() == "STRAY" else None


def _brace(place: Place) -> Diagnostic | None:
    if place.kind() != "BREAK" or place.kind(-1) == "NONE":
        return None
    brace = place.tokens[place.index + 1][1]
    return syntax_errors.brace_on_next_line(Span(place.source, place.span(-1).end, brace), place.text(-1))


def _foreign(place: Place) -> Diagnostic | None:
    text = place.text()
    if place.kind() == "FOREIGN":
        return syntax_errors.foreign_mark(place.span())
    starts_entry = place.kind(-1) == "NONE"
    if starts_entry and (text == "//" or place.source.text.startswith("/*", place.span().start)):
        return syntax_errors.foreign_comment(place.span())
    return None


def _unit(place: Place) -> Diagnostic | None:
    if place.kind(-1) != "NUMBER":
        return None
    number, between = place.span(-1), place.source.text[place.span(-1).end : place.span().start]
    if number.text.endswith("%") and (place.kind() in _VALUE_STARTS):
        return syntax_errors.glued_percent(Span(place.source, number.end - 1, number.end))
    if place.kind() == "NAME" and between.strip(" \t") == "":
        return syntax_errors.unknown_unit(place.span(), number.text)
    return None


def _assignment(place: Place) -> Diagnostic | None:
    if place.kind() == "EQUAL":
        kinds = [kind for kind, _, _ in place.tokens[place.first : place.index]]
        if place.accepts("COMPARE") and ("ASSERT" in kinds[:1] or "IF" in kinds):
            return syntax_errors.equal_for_comparison(place.span())
        if kinds[1:2] == ["COLON"]:
            _, start, end = place.tokens[place.first + 1]
            name = place.tokens[place.first]
            mark = Span(place.source, name[2], place.span().start) if place.in_block else None
            return syntax_errors.typed_field(Span(place.source, start, end), place.source.text[name[1] : name[2]], mark)
        if not place.in_block and place.index == place.first + 1:
            return syntax_errors.field_outside_block(place.span(-1))
    if place.kind() == "LBRACE" and not place.in_block and place.index == place.first + 1:
        unnamed = place.span(-1).column == 1
        return (syntax_errors.unnamed_item if unnamed else syntax_errors.field_outside_block)(place.span(-1))
    if place.text() == "==" and place.accepts("EQUAL"):
        return syntax_errors.comparison_for_equal(place.span())
    return None


def _item_in_block(place: Place) -> Diagnostic | None:
    if not place.in_block or place.index != place.first + 1:
        return None
    if place.kind(-1) in _ITEM_WORDS and place.kind() in ("NAME", "STRING"):
        return syntax_errors.item_in_block(place.span(-1))
    return None


def _reserved(place: Place) -> Diagnostic | None:
    fits = place.kind() in _RESERVED and place.accepts("NAME")
    return syntax_errors.reserved_word(place.span()) if fits else None


def _missing(place: Place) -> Diagnostic | None:
    before = place.kind(-1)
    ends = place.kind() in _ENTRY_ENDS or place.kind() in ("COMMA", "RPAREN", "RBRACK")
    if ends and place.accepts("NUMBER") and before in ("EQUAL", *_OPERATORS):
        return syntax_errors.missing_value(place.span(-1), place.span(), _found(place))
    if not place.accepts("EQUAL"):
        return None
    only_name = place.in_block and place.index == place.first + 1
    if place.kind() in _VALUE_STARTS and (only_name or place.tokens[place.first][0] in ("LET", "PARAM")):
        return syntax_errors.missing_equal(place.span(-1), place.span())
    return syntax_errors.missing_field_value(place.span(-1)) if only_name and ends else None


def _list(place: Place) -> Diagnostic | None:
    in_brackets = place.accepts("RBRACK") or place.accepts("RPAREN")
    if place.kind() in _VALUE_STARTS and in_brackets and place.accepts("COMMA"):
        return syntax_errors.missing_comma(place.span(-1), place.span())
    return None


def _chain(place: Place) -> Diagnostic | None:
    if place.kind() in ("COMPARE", "IN") and place.accepts("PLUS"):
        return syntax_errors.chained_comparison(place.span())
    return None


def _found(place: Place) -> str:
    match place.kind():
        case "END":
            closing = place.source.text[place.tokens[place.index][1] :][:1]
            return f"`{closing}`" if closing else "the end"
        case "NEWLINE" | "BREAK":
            return "the end of the line"
        case _:
            return f"`{place.text()}`"


def _expected(place: Place) -> tuple[str, ...]:
    kinds = [kind for kind, _ in _EXPECTED if place.accepts(kind)]
    implied = {other for kind in kinds for other in _IMPLIED.get(kind, ())}
    if place.accepts("PLUS"):
        # A value that is complete may also be amended, which is seldom what was meant.
        implied.add("LBRACE")
    return tuple(words for kind, words in _EXPECTED if kind in kinds and kind not in implied)[:4]
