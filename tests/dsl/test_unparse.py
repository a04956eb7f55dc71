from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from trainc.dsl import ast
from trainc.dsl.parser import parse, parse_expression
from trainc.dsl.source import Source
from trees import NOWHERE, expressions, items, shape
from unparse import unparse


@settings(max_examples=150, deadline=None, derandomize=True)
@given(expressions)
def test_an_expression_is_read_back_as_it_was(node: ast.Expression) -> None:
    again, findings = parse_expression(Source("t", unparse(node)))
    assert findings == ()
    assert shape(again) == shape(node)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(items, max_size=4).map(tuple))
def test_a_file_is_read_back_as_it_was(nodes: tuple[ast.Item, ...]) -> None:
    result = parse(Source("t", unparse(ast.File(NOWHERE.source, nodes, ()))))
    assert result.findings == ()
    assert shape(result.file.items) == shape(nodes)


def test_the_whole_file_is_read_back_as_it_was() -> None:
    source = Source("t", Path(__file__).with_name("whole_file.train").read_text(encoding="utf-8"))
    file = parse(source).file
    assert shape(parse(Source("t", unparse(file))).file.items) == shape(file.items)
