from __future__ import annotations

from pathlib import Path

import pytest
from trainc.dsl import ast
from trainc.dsl.parser import parse, parse_expression
from trainc.dsl.source import Source
from unparse import unparse

WHOLE_FILE = Path(__file__).with_name("whole_file.train").read_text(encoding="utf-8")


def read(text: str) -> tuple[ast.Item, ...]:
    result = parse(Source("t.train", text))
    assert result.findings == ()
    return result.file.items


def read_expression(text: str) -> ast.Expression:
    expression, findings = parse_expression(Source("--set", text))
    assert findings == ()
    assert expression is not None
    return expression


def grouping(text: str) -> str:
    """The expression with every operation in parentheses."""

    def show(node: ast.Expression) -> str:
        match node:
            case ast.Binary():
                return f"({show(node.left)} {node.operator} {show(node.right)})"
            case ast.Unary():
                return f"({node.operator} {show(node.operand)})"
            case ast.Member():
                return f"({show(node.base)}.{node.name.text})"
            case ast.Conditional():
                return f"(if {show(node.condition)} then {show(node.consequence)} else {show(node.alternative)})"
            case _:
                return unparse(node)

    return show(read_expression(text))


def test_the_whole_file_of_the_language_reference() -> None:
    items = read(WHOLE_FILE)
    kinds = [type(item).__name__ for item in items]
    assert kinds == ["Import"] * 3 + ["Param"] + ["Declaration"] * 6 + ["Assert"] * 2
    sft = items[8]
    assert isinstance(sft, ast.Declaration)
    assert isinstance(sft.value, ast.Block)
    fields = {entry.name.text: entry.value for entry in sft.value.entries if isinstance(entry, ast.Field)}
    assert list(fields)[:5] == ["model", "data", "mesh", "precision", "strategy"]
    assert unparse(fields["adapter"]) == "lora { rank = 16, alpha = 32, targets = [q, k, v, o] }"
    assert isinstance(fields["batch"], ast.Block)
    assert unparse(fields["schedule"]) == "cosine { warmup = 3%, floor = 10% }"


def test_the_whole_file_with_windows_line_ends_is_the_same() -> None:
    unix, windows = read(WHOLE_FILE), read(WHOLE_FILE.replace("\n", "\r\n"))
    assert [unparse(item) for item in unix] == [unparse(item) for item in windows]


def test_imports() -> None:
    module, file = read('import std.models.llama3\nimport "./data.train" as data')
    assert isinstance(module, ast.Import)
    assert isinstance(file, ast.Import)
    assert (module.target, module.is_file, module.alias) == ("std.models.llama3", False, None)
    assert (file.target, file.is_file, file.alias and file.alias.text) == ("./data.train", True, "data")
    assert file.target_span.text == '"./data.train"'


def test_parameters() -> None:
    plain, many, required = read("param a: count = 500\nparam b: [string] = []\nparam c: duration")
    assert isinstance(plain, ast.Param)
    assert isinstance(many, ast.Param)
    assert isinstance(required, ast.Param)
    assert (plain.type.text, plain.is_list) == ("count", False)
    assert (many.type.text, many.is_list) == ("string", True)
    assert required.default is None


def test_an_amended_declaration_keeps_its_base_and_its_block() -> None:
    (item,) = read("stage b = a { lr = 1 }")
    assert isinstance(item, ast.Declaration)
    assert isinstance(item.value, ast.Amend)
    assert unparse(item.value.base) == "a"


def test_an_assertion_inside_a_block() -> None:
    (item,) = read('mesh m { tp = 2\n assert tp == 2 else "why" }')
    assert isinstance(item, ast.Declaration)
    assert isinstance(item.value, ast.Block)
    check = item.value.entries[1]
    assert isinstance(check, ast.Assert)
    assert check.reason is not None
    assert check.reason.parts == ("why",)


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a or b and not c == d", "(a or (b and (not (c == d))))"),
        ("a + b * -c.d", "(a + (b * (- (c.d))))"),
        ("a - b - c", "((a - b) - c)"),
        ("a // b % c", "((a // b) % c)"),
        ("a not in b", "(a not in b)"),
        ("not a in b", "(not (a in b))"),
        ("(a + b) * c", "((a + b) * c)"),
        ("if a then b else if c then d else e + f", "(if a then b else (if c then d else (e + f)))"),
        ("a < b + c", "(a < (b + c))"),
    ],
)
def test_precedence(text: str, grouped: str) -> None:
    assert grouping(text) == grouped


def test_spans_cover_parentheses() -> None:
    product = read_expression("(a + b) * (c)")
    assert product.span.text == "(a + b) * (c)"


def test_language_words_are_field_names() -> None:
    words = ["import", "param", "let", "assert", "as", "if", "then", "else", "and", "or", "not", "in", "true", "false"]
    (item,) = read("mesh m {\n" + "".join(f"{word} = x.{word}\n" for word in words) + "}")
    assert isinstance(item, ast.Declaration)
    assert isinstance(item.value, ast.Block)
    assert [entry.name.text for entry in item.value.entries if isinstance(entry, ast.Field)] == words


def test_item_words_are_names_of_values_too() -> None:
    (item,) = read("let import = param + assert")
    assert unparse(item) == "let import = param + assert"


@pytest.mark.parametrize("block", ["{}", "{\n}", "{ # why\n}", "{\n\n  # why\n\n}"])
def test_an_empty_block(block: str) -> None:
    (item,) = read(f"mesh m {block}")
    assert isinstance(item, ast.Declaration)
    assert isinstance(item.value, ast.Block)
    assert item.value.entries == ()


@pytest.mark.parametrize("entries", ["a = 1, b = 2", "a = 1, b = 2,", "\na = 1,\nb = 2,\n", "\na = 1\n\n# c\nb = 2\n"])
def test_separators_of_entries(entries: str) -> None:
    (item,) = read(f"mesh m {{{entries}}}")
    assert unparse(item) == "mesh m { a = 1, b = 2 }"


def test_newlines_are_free_in_brackets_and_count_again_in_a_block_inside_them() -> None:
    (item,) = read("let x = [\n  1,\n  f(\n 2),\n  a {\n b = 1\n c = 2\n },\n]")
    assert unparse(item) == "let x = [1, f(2), a { b = 1, c = 2 }]"


def test_doc_comments_go_to_what_follows() -> None:
    text = "## one\n##   two\n# not this\nmesh m {\n  ## inner\n  tp = 1 ## beside\n  pp = 1\n}\n"
    (item,) = read(text)
    assert isinstance(item, ast.Declaration)
    assert isinstance(item.value, ast.Block)
    assert item.doc == "one\n  two"
    assert [entry.doc for entry in item.value.entries if isinstance(entry, ast.Field)] == ["inner", None]


def test_every_comment_is_kept() -> None:
    result = parse(Source("t", "# a\nlet x = [ # b\n 1] ## c\r\n#d"))
    assert [comment.text for comment in result.file.comments] == ["# a", "# b", "## c", "#d"]


def test_an_interpolation_points_into_its_source() -> None:
    (item,) = read('let x = "run-${a.b + 1}-${"in ${c}"}"')
    assert isinstance(item, ast.Let)
    assert isinstance(item.value, ast.String)
    first, total, dash, inner = item.value.parts
    assert (first, dash) == ("run-", "-")
    assert isinstance(total, ast.Binary)
    assert total.span.text == "a.b + 1"
    assert isinstance(inner, ast.String)
    assert inner.span.text == '"in ${c}"'


def test_a_lone_expression_may_span_lines() -> None:
    assert unparse(read_expression("\n [1,\n 2] ")) == "[1, 2]"


def test_a_lone_expression_that_is_at_fault_has_one_finding() -> None:
    expression, findings = parse_expression(Source("--set", "1 +"))
    assert expression is None
    assert [finding.code for finding in findings] == ["TRN002"]
