from __future__ import annotations

import pytest
from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.parser import parse
from trainc.dsl.source import Source


def read(text: str) -> tuple[dict[str, list[str]], list[tuple[str, int]]]:
    """The names of the declarations with those of their fields, and the findings' codes and lines."""
    result = parse(Source("t", text))
    fields = {
        item.name.text: [entry.name.text for entry in _block(item).entries if isinstance(entry, ast.Field)]
        for item in result.file.items
        if isinstance(item, ast.Declaration)
    }
    return fields, [(finding.code, _line(finding)) for finding in result.findings]


def _block(item: ast.Declaration) -> ast.Block:
    value = item.value.block if isinstance(item.value, ast.Amend) else item.value
    assert isinstance(value, ast.Block)
    return value


def _line(finding: Diagnostic) -> int:
    assert finding.primary is not None
    return finding.primary.line


def test_six_faults_in_five_blocks_are_six_findings_and_five_blocks() -> None:
    text = """cluster c {
  nodes = 2 2
  gpu = h100
}
model m = base { attention: flash, layers = 2 }
mesh w {
  tp = [1, 2
  pp = 1
}
precision p { compute = , reduce = fp32 }
stage s {
  name = "abc
  lr = 80GX
  batch { micro = 1 }
}
"""
    fields, findings = read(text)
    assert findings == [("TRN001", 2), ("TRN005", 5), ("TRN007", 7), ("TRN002", 10), ("TRN010", 12), ("TRN014", 13)]
    assert fields == {"c": ["gpu"], "m": ["attention", "layers"], "w": ["pp"], "p": ["reduce"], "s": ["batch"]}


def test_an_unclosed_block_ends_where_an_item_starts_at_column_1() -> None:
    fields, findings = read("mesh a {\n  tp = 1\n\nmesh b {\n  tp = 2\n}\n")
    assert findings == [("TRN007", 1)]
    assert fields == {"a": ["tp"], "b": ["tp"]}


def test_the_brace_that_indentation_gives_away_is_reported() -> None:
    fields, findings = read("stage a {\n  batch {\n    micro = 1\n  lr = 2\n}\n\nmesh b { tp = 2 }\n")
    assert findings == [("TRN007", 2)]
    assert fields == {"a": ["batch", "lr"], "b": ["tp"]}


@pytest.mark.parametrize(
    "item", ["import std.gpus", 'import "./x.train"', "param p: count", "let x = 1", "assert x > 1", "mesh b = c"]
)
def test_every_kind_of_item_ends_an_unclosed_block(item: str) -> None:
    result = parse(Source("t", f"mesh a {{\n  tp = 1\n{item}\n"))
    assert [finding.code for finding in result.findings] == ["TRN007"]
    assert len(result.file.items) == 2


def test_several_unclosed_brackets_are_one_finding() -> None:
    _, findings = read("stage a {\n  x = lora {\n    t = [1, 2\n\nmesh b {\n  tp = 2\n}\n")
    assert findings == [("TRN007", 3)]


def test_a_block_without_indentation_may_hold_assertions() -> None:
    fields, findings = read("mesh a {\nassert tp > 1\ntp = 2\n}\n")
    assert findings == []
    assert fields == {"a": ["tp"]}


def test_a_list_over_lines_with_a_fault_keeps_what_follows() -> None:
    fields, findings = read("mesh a {\n  x = [\n    1,\n    2 3,\n    4,\n  ]\n  y = 1\n}\n")
    assert findings == [("TRN022", 4)]
    assert fields == {"a": ["y"]}


def test_faults_in_nested_blocks_are_independent() -> None:
    fields, findings = read("stage s {\n  a { x = 1 2, y = 3 }\n  b = f { z z }\n  c = [d { w w }]\n}\n")
    assert findings == [("TRN001", 2), ("TRN003", 3), ("TRN003", 4)]
    assert fields == {"s": ["a", "b", "c"]}


def test_a_block_without_a_name_is_one_finding() -> None:
    fields, findings = read("mesh a { tp = 1 }\n{ tp = 2 }\nmesh b {\n  c { d = 1 }\n  {\n    e = 2\n  }\n  f = 3\n}\n")
    assert findings == [("TRN001", 2), ("TRN001", 5)]
    assert fields == {"a": ["tp"], "b": ["c", "f"]}


def test_a_block_closed_too_early_is_one_finding() -> None:
    fields, findings = read("stage s {\n  a = 1\n  }\n  b = 2\n  c { d = 3 }\n}\nmesh m { tp = 1 }\n")
    assert findings == [("TRN008", 3)]
    assert fields == {"s": ["a", "b", "c"], "m": ["tp"]}


def test_an_unclosed_text_of_several_lines_ends_where_an_item_starts() -> None:
    fields, findings = read('stage s {\n  a = """one\n  two\n\nmesh m { tp = 1 }\n')
    assert findings == [("TRN010", 2)]
    assert fields == {"s": [], "m": ["tp"]}


@pytest.mark.parametrize(
    "value", ["\nnot y { a = 1 }\n", "if c then x\nelse y { a = 1 }", "z\nor y { a = 1 }", "if\nlet then x else y"]
)
def test_an_expression_in_parentheses_may_go_on_at_column_1(value: str) -> None:
    assert parse(Source("t", f"let x = ({value})\n")).findings == ()
