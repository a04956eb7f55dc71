"""The tree-sitter grammar reads what the compiler's parser reads, refuses what it refuses, and sees the same tree."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from trainc.dsl import ast
from trainc.dsl.parser import parse
from trainc.dsl.source import Source, Span

tree_sitter = pytest.importorskip("tree_sitter")
COMPILER = shutil.which("cc")
GRAMMAR = Path(__file__).parents[2] / "editors" / "tree-sitter-train"
# A limit on how deep expressions nest is the compiler's own and no matter of form.
TOO_DEEP = "TRN026"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")]

Shape = object


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> object:
    library = tmp_path_factory.mktemp("grammar") / "train.so"
    sources = [str(GRAMMAR / "src" / name) for name in ("parser.c", "scanner.c")]
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    command = [str(COMPILER), "-O1", "-std=c11", "-fPIC", "-shared", *warnings, f"-I{GRAMMAR}/src", "-o", str(library), *sources]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(library)).tree_sitter_train
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return tree_sitter.Language(capsule(function(), b"tree_sitter.Language", None))


@pytest.fixture(scope="module")
def read(language: object) -> Callable[[str], object]:
    parser = tree_sitter.Parser(language)
    return lambda text: parser.parse(text.encode()).root_node


def test_both_parsers_agree_on_every_file(read: Callable[[str], object], texts: dict[str, str]) -> None:
    verdicts = {name: verdict(read(text), parse(Source("t", text))) for name, text in texts.items()}
    count = Counter(verdicts.values())
    print(f"tree-sitter: {len(texts)} texts, {dict(count)}")
    differing = [(name, verdict, texts[name]) for name, verdict in verdicts.items() if verdict.startswith("differ")]
    assert not differing, f"{len(differing)}: {differing[0]}"
    assert min(count["same tree"], count["refused by both"]) > 300


def verdict(root: object, result: ast.ParseResult) -> str:
    codes = {finding.code for finding in result.findings}
    if codes == {TOO_DEEP} and not root.has_error:
        return "only nested too deep"
    if root.has_error != bool(codes):
        return f"differ: {'refused' if root.has_error else 'accepted'}, the compiler says {sorted(codes)}"
    if codes:
        return "refused by both"
    return "same tree" if shape(root) == expected(result.file.items) else "differ: another tree"


def test_the_corners_of_the_language_are_what_they_are_meant_to_be(
    read: Callable[[str], object], corners: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    accepted, refused = corners
    assert [text for text in accepted if read(text).has_error] == []
    assert [text for text in refused if not read(text).has_error] == []


def test_the_highlighting_query_tells_words_by_where_they_stand(language: object, read: Callable[[str], object]) -> None:
    query = tree_sitter.Query(language, (GRAMMAR / "queries" / "highlights.scm").read_text(encoding="utf-8"))
    text = "stage s { if = adamw { lr = 2e-5, in = max(3 GB, a.not) } # c\n}\nassert s.if in [fp32] and true"
    last: dict[tuple[int, int], str] = {}
    for _, captures in sorted(tree_sitter.QueryCursor(query).matches(read(text)), key=lambda match: match[0]):
        last |= {(node.start_byte, node.end_byte): name for name, nodes in captures.items() for node in nodes}
    named = [(text[start:end], name) for (start, end), name in sorted(last.items()) if name[:11] != "punctuation"]
    assert named == [
        ("stage", "keyword.type"),
        ("s", "type.definition"),
        ("if", "property"),
        ("=", "operator"),
        ("adamw", "constructor"),
        ("lr", "property"),
        ("=", "operator"),
        ("2e-5", "number"),
        ("in", "property"),
        ("=", "operator"),
        ("max", "function.builtin"),
        ("3", "number"),
        ("GB", "type.builtin"),
        ("a", "variable"),
        ("not", "property"),
        ("# c", "comment"),
        ("assert", "keyword"),
        ("s", "variable"),
        ("if", "property"),
        ("in", "keyword.operator"),
        ("fp32", "constant.builtin"),
        ("and", "keyword.operator"),
        ("true", "boolean"),
    ]


# The tree of tree-sitter, as tuples


def text_of(node: object) -> str:
    return node.text.decode()


def named(node: object) -> list[object]:
    return [child for child in node.named_children if child.type != "comment"]


def part(node: object, field: str) -> Shape:
    child = node.child_by_field_name(field)
    return None if child is None else shape(child)


def shape(node: object) -> Shape:
    match node.type:
        case "file" | "block":
            return (node.type, *map(shape, named(node)))
        case "import":
            return ("import", part(node, "module") or part(node, "file"), part(node, "alias"))
        case "import_path":
            return ".".join(map(text_of, named(node)))
        case "param":
            kind = node.child_by_field_name("type")
            return ("param", part(node, "name"), text_of(named(kind)[0]), text_of(kind).startswith("["), part(node, "default"))
        case "let":
            return ("let", part(node, "name"), part(node, "value"))
        case "declaration":
            return ("declaration", part(node, "kind"), part(node, "name"), part(node, "block") or part(node, "base"))
        case "field":
            return ("field", part(node, "name"), part(node, "block") or part(node, "value"))
        case "assertion":
            return ("assertion", part(node, "condition"), part(node, "reason"))
        case "parenthesised":
            return shape(named(node)[0])
        case "identifier":
            return text_of(node)
        case "boolean" | "reference":
            return (node.type, text_of(node))
        case "number":
            digits, *unit = named(node)
            return ("number", text_of(digits).replace("_", ""), " ".join(text_of(unit[0]).split()) if unit else None)
        case "string":
            return ("string", *(shape(named(child)[0]) for child in named(node) if child.type == "interpolation"))
        case "call":
            function, *arguments = named(node)
            return ("call", text_of(function), *map(shape, arguments))
        case "list":
            return ("list", *map(shape, named(node)))
        case "binary":
            operator = node.child_by_field_name("operator")
            # A comment may stand between its two words.
            word = "not in" if operator.type == "not_in" else text_of(operator)
            return ("binary", part(node, "left"), word, part(node, "right"))
        case "unary":
            return ("unary", text_of(node.child_by_field_name("operator")), part(node, "operand"))
        case "member" | "index" | "amend" | "conditional":
            return (node.type, *map(shape, named(node)))
    raise AssertionError(node.type)


# The compiler's own, as the same tuples

NAMES = {"Assert": "assertion", "ListLiteral": "list"}


def expected(node: object) -> Shape:
    match node:
        case tuple():
            return ("file", *map(expected, node))
        case None | bool() | str():
            return node
        case ast.Name():
            return node.text
        case ast.Import():
            return ("import", ("string",) if node.is_file else node.target, expected(node.alias))
        case ast.Param():
            return ("param", node.name.text, node.type.text, node.is_list, expected(node.default))
        case ast.Boolean():
            return ("boolean", str(node.value).lower())
        case ast.String():
            return ("string", *(expected(item) for item in node.parts if not isinstance(item, str)))
        case ast.Block():
            return ("block", *map(expected, node.entries))
        case ast.ListLiteral():
            return ("list", *map(expected, node.items))
        case ast.Call():
            return ("call", node.function.text, *map(expected, node.arguments))
    assert is_dataclass(node)
    name = type(node).__name__
    values = [getattr(node, field.name) for field in fields(node) if field.name not in ("span", "doc")]
    assert not any(isinstance(value, Span) for value in values)
    return (NAMES.get(name, name.lower()), *map(expected, values))
