"""Each fault's page is true: its example has that fault and no other, and one fault is one finding."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest
from trainc.dsl import syntax_errors
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.parser import parse
from trainc.dsl.source import Source

FAULTS = [
    function
    for name, function in inspect.getmembers(syntax_errors, inspect.isfunction)
    if function.__module__ == syntax_errors.__name__ and not name.startswith("_")
]
PAGE = re.compile(
    r"(?P<code>TRN0\d\d): (?P<fault>.+)\.\n\nWhy: .+\nExample:\s(?P<example>.+?)\nInstead:\s(?P<remedy>.+)", re.DOTALL
)


def page(fault: Callable[..., Diagnostic]) -> re.Match[str]:
    match = PAGE.fullmatch(inspect.getdoc(fault) or "")
    assert match is not None
    return match


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_the_example_has_the_fault_and_nothing_else(fault: Callable[..., Diagnostic]) -> None:
    described = page(fault)
    example = inspect.cleandoc(described["example"])
    findings = parse(Source("t", example)).findings
    assert [finding.code for finding in findings] == [described["code"]]
    assert parse(Source("t", inspect.cleandoc(described["remedy"]))).findings == ()


def test_no_code_is_used_twice() -> None:
    codes = [page(fault)["code"] for fault in FAULTS]
    assert sorted(set(codes)) == sorted(codes)


# A line of a block, the code, and what the message says.
LINES = [
    ("lr 3e-4", "TRN003", "expected `=` after `lr`, found `3e-4`"),
    ("lr =", "TRN002", "expected a value after `=`, found the end of the line"),
    ("lr = 3 +", "TRN002", "expected a value after `+`, found the end of the line"),
    ("lr = ,", "TRN002", "expected a value after `=`, found `,`"),
    ("lr", "TRN004", "`lr` has no value"),
    ("lr: 3", "TRN005", "`:` does not set `lr`"),
    ("batch: { micro = 1 }", "TRN005", "`:` does not set `batch`"),
    ("batch = { micro = 1 }", "TRN006", "`batch` takes its block without `=`"),
    ("betas = [0.9", "TRN007", "`[` is not closed"),
    ("betas = min(0.9, [1, 2", "TRN007", "`(` is not closed"),
    ("lr = 1]", "TRN008", "`]` closes nothing"),
    ("betas = [0.9, 0.95)", "TRN009", "`[` is closed by `)`"),
    ("betas = [0.9, 0.95}", "TRN009", "`[` is closed by `}`"),
    ('name = "abc', "TRN010", "the string is not closed"),
    ('names = ["abc, "def"]', "TRN010", "the string is not closed"),
    ('names = ["abc]', "TRN010", "the string is not closed"),
    ('name = "a${b"', "TRN011", "`${` is not closed"),
    (r'name = "a\qb"', "TRN012", r"`\q` is no escape"),
    (r'name = "\u{110000}"', "TRN012", r"`\u{110000}` is no escape"),
    ("name = 'abc'", "TRN013", "'abc' is not a string"),
    ("memory = 80GX", "TRN014", "`GX` after `80` is no unit"),
    ("memory = 80 gigs", "TRN014", "`gigs` after `80` is no unit"),
    ("size = 15T tokns", "TRN014", "`tokns` after `15T` is no unit"),
    ("x = then", "TRN015", "`then` is a reserved word"),
    ("batch\n  { micro = 1 }", "TRN016", "`{` stands on the line after `batch`"),
    ("batch = base\n  { micro = 1 }", "TRN016", "`{` stands on the line after `base`"),
    ("let x = 1", "TRN018", "`let` stands inside a block"),
    ("assert a = 3", "TRN019", "`=` does not compare"),
    ("lr == 3", "TRN020", "`==` does not set a field"),
    ("x = 1 < 2 < 3", "TRN021", "comparisons do not chain"),
    ("x = [1 2]", "TRN022", "expected `,` before `2`"),
    ("x = f(1, 2 3)", "TRN022", "expected `,` before `3`"),
    ("x = a && b", "TRN023", "`&&` is no operator"),
    ("x = a; y = 2", "TRN023", "`;` means nothing here"),
    ("x += 2", "TRN023", "`+=` means nothing here"),
    ("x = a => b", "TRN023", "`=>` means nothing here"),
    ("x: count = 2", "TRN028", "`x` takes no type here"),
    ("x = 80 GB GB", "TRN014", "`GB` after `80 GB` is a second unit"),
    ("x = f(a = 3)", "TRN001", "expected `)` or `,`, found `=`"),
    ("// why", "TRN024", "`//` does not start a comment"),
    ("x = 10%3", "TRN025", "`%` glued to a number is percent"),
    ("x = if a then b", "TRN001", "expected `else`, found the end of the line"),
    ("x = a b", "TRN001", "expected the end of the line, found `b`"),
    ("x = .5", "TRN001", "expected a value, found `.`"),
    ('x = "a ${1 +} b"', "TRN002", "expected a value after `+`, found `}`"),
]


@pytest.mark.parametrize(("line", "code", "message"), LINES, ids=[line for line, _, _ in LINES])
def test_a_fault_is_one_finding_and_its_neighbours_are_kept(line: str, code: str, message: str) -> None:
    result = parse(Source("t", f"stage a {{\n  before = 1\n  {line}\n  after = 2\n}}\nlet last = 3\n"))
    assert [(finding.code, finding.message) for finding in result.findings] == [(code, message)]
    assert len(result.file.items) == 2
    names = [entry.name.text for entry in result.file.items[0].value.entries]  # type: ignore[union-attr]
    assert names[0] == "before"
    assert names[-1] == "after"


ITEMS = [
    ("let x 3", "TRN003"),
    ("let if = 3", "TRN015"),
    ("import", "TRN001"),
    ("import std.", "TRN001"),
    ("param x = 3", "TRN001"),
    ("mesh { tp = 1 }", "TRN027"),
    ("mesh m", "TRN001"),
    ("mesh m n { tp = 1 }", "TRN001"),
    ("mesh m: { tp = 1 }", "TRN005"),
    ("mesh m\n{ tp = 1 }", "TRN016"),
    ("mesh m\n# why\n{ tp = 1 }", "TRN001"),
    ("lr = 3\nlrr = 4\n}", "TRN017"),
    ("}", "TRN008"),
    ("let x = (1, 2", "TRN007"),
    ('let x = """abc', "TRN010"),
    ("?", "TRN023"),
]


@pytest.mark.parametrize(("item", "code"), ITEMS, ids=[item for item, _ in ITEMS])
def test_a_fault_at_the_top_is_one_finding_and_its_neighbours_are_kept(item: str, code: str) -> None:
    result = parse(Source("t", f"let first = 1\n{item}\nlet last = 3\n"))
    assert [finding.code for finding in result.findings] == [code]
    assert result.file.items[0].name.text == "first"  # type: ignore[union-attr]
    assert result.file.items[-1].name.text == "last"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ("tp 2", "tp = 2"),
        ("tp: 2", "tp = 2"),
        ("batch : { a = 1 }", "batch { a = 1 }"),
        ("batch = { a = 1 }", "batch { a = 1 }"),
        ("x = [1, 2)", "x = [1, 2]"),
        ("x = 'a'", 'x = "a"'),
        ("x = [1 2]", "x = [1, 2]"),
        ("assert a = 1", "assert a == 1"),
        ("x == 1", "x = 1"),
        ("x = a && b", "x = a and b"),
        ("x = 10%3", "x = 10 % 3"),
        ("batch\n{ a = 1 }", "batch { a = 1 }"),
    ],
)
def test_a_fix_mends(line: str, mended: str) -> None:
    text = f"mesh m {{\n{line}\n}}"
    (finding,) = parse(Source("t", text)).findings
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    assert text[: edit.span.start] + edit.text + text[edit.span.end :] == f"mesh m {{\n{mended}\n}}"
    assert parse(Source("t", f"mesh m {{\n{mended}\n}}")).findings == ()


@pytest.mark.parametrize(("unit", "meant"), [("GX", "GB"), ("gb", "GB"), ("Gbps", "Gb/s"), ("hours", "h"), ("tokes", "tokens")])
def test_an_unknown_unit_has_a_suggestion(unit: str, meant: str) -> None:
    (finding,) = parse(Source("t", f"let x = 80{unit}")).findings
    assert finding.help == f"did you mean `{meant}`?"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("improt std.gpus", "did you mean `import`?"),
        ('import "a${b}"', "the path of an import is a plain string"),
        ("let x = a if b else c", "a condition is written `if c then a else b`"),
        ("let x = if a then b", "a condition is written `if c then a else b`"),
        ("let x = 1 000", "digits are grouped with `_`, as in `1_000`"),
        ("mesh m { batch.micro = 3 }", "set a field of a nested record with `batch { ... }`"),
        ('mesh m { "tp" = 3 }', "the name of a field stands without quotes"),
        ("mesh m n { }", None),
    ],
)
def test_a_token_that_does_not_fit_has_help_where_it_is_clear(text: str, hint: str | None) -> None:
    (finding,) = parse(Source("t", text)).findings
    assert (finding.code, finding.help) == ("TRN001", hint)
