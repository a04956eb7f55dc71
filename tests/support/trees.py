"""Arbitrary syntax trees, and their comparison."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from hypothesis import strategies as st
from trainc.dsl import ast
from trainc.dsl.lexer import WORDS
from trainc.dsl.source import Source, Span

NOWHERE = Span(Source("nowhere", ""), 0, 0)
ITEM_WORDS = ("import", "param", "let", "assert", "as")

here = st.just(NOWHERE)
letters = st.text("abz_", min_size=1, max_size=4)
any_names = st.one_of(letters, st.sampled_from(sorted(WORDS))).map(lambda text: ast.Name(text, NOWHERE))
soft_names = st.one_of(letters, st.sampled_from(ITEM_WORDS)).map(lambda text: ast.Name(text, NOWHERE))
kinds = letters.map(lambda text: ast.Name(text, NOWHERE))
docs = st.one_of(st.none(), st.sampled_from(["one line", "two\n  lines", "a\n\nb", "# marks"]))
texts = st.text('a$ {}"\\\n\té\u0301\x07\u2028', min_size=1, max_size=6)
units = st.sampled_from([None, "GB", "Gb/s", "%", "B", "Ki", "T tokens", "min", "h30min", "steps"])
numbers = st.builds(ast.Number, st.sampled_from(["0", "12", "0.5", "2e-5"]), units, here)
plain_strings = st.builds(ast.String, st.lists(texts, max_size=1).map(tuple), here)
simple = st.one_of(
    numbers,
    plain_strings,
    st.builds(ast.Boolean, st.booleans(), here),
    st.builds(ast.Reference, letters, here),
)
comparisons = ["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
operators = st.sampled_from(["+", "-", "*", "/", "//", "%", "and", "or", *comparisons])


def templates(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.String]:
    return st.builds(lambda a, hole, b: ast.String((a, hole, b), NOWHERE), texts, inner, texts)


def blocks(inner: st.SearchStrategy[ast.Expression], doc: st.SearchStrategy[str | None]) -> st.SearchStrategy[ast.Block]:
    plain = st.builds(ast.Field, any_names, inner, doc, here)
    checks = st.builds(ast.Assert, inner, st.one_of(st.none(), plain_strings), here)
    entries = st.lists(st.one_of(plain, checks), max_size=3).map(tuple)
    flat = st.builds(ast.Block, entries, here)
    nested = st.builds(ast.Field, any_names, flat, doc, here)
    return st.builds(ast.Block, st.lists(st.one_of(plain, checks, nested), max_size=3).map(tuple), here)


def grow(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
    listed = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(ast.Unary, st.sampled_from(["-", "not"]), inner, here),
        st.builds(ast.Binary, inner, operators, inner, here),
        st.builds(ast.Conditional, inner, inner, inner, here),
        st.builds(ast.Member, inner, any_names, here),
        st.builds(ast.Index, inner, inner, here),
        st.builds(ast.Call, soft_names, listed, here),
        st.builds(ast.ListLiteral, listed, here),
        st.builds(ast.Amend, inner, blocks(inner, st.none()), here),
        templates(inner),
    )


expressions = st.recursive(simple, grow, max_leaves=12)
values = st.one_of(expressions, blocks(expressions, docs))
dotted = st.lists(letters, min_size=1, max_size=3).map(".".join)
aliases = st.one_of(st.none(), soft_names)
items = st.one_of(
    st.builds(ast.Import, dotted, st.just(False), here, aliases, here),
    st.builds(ast.Import, texts, st.just(True), here, aliases, here),
    st.builds(ast.Param, soft_names, soft_names, st.booleans(), st.one_of(st.none(), expressions), docs, here),
    st.builds(ast.Let, soft_names, expressions, docs, here),
    st.builds(ast.Declaration, kinds, soft_names, values, docs, here),
    st.builds(ast.Assert, expressions, st.one_of(st.none(), plain_strings), here),
)


def shape(node: object) -> object:
    """A tree without its spans."""
    if isinstance(node, tuple):
        return tuple(map(shape, node))
    if is_dataclass(node) and not isinstance(node, Source | Span):
        return (type(node).__name__, *(shape(getattr(node, field.name)) for field in fields(node)))
    return None if isinstance(node, Source | Span) else node
