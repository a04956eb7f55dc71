"""What the grammars share with the compiler is what `editors/generate.py` makes of it now."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from trainc.compiler.operators import FUNCTIONS
from trainc.compiler.reference import shapes
from trainc.compiler.spec import KINDS
from trainc.dsl.lexer import WORDS

EDITORS = Path(__file__).parents[2] / "editors"
TEXTMATE = EDITORS / "vscode" / "syntaxes" / "train.tmLanguage.json"
TREE_SITTER = EDITORS / "tree-sitter-train"


def test_the_committed_files_are_what_the_generator_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EDITORS))
    spec = importlib.util.spec_from_file_location("generate_editors", EDITORS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name in ("textmate", "tree_sitter_words", "words"):
        sys.modules.pop(name)
    files: dict[str, str] = generate.files()
    assert len(files) == 3
    for name, text in files.items():
        assert (EDITORS / name).read_text(encoding="utf-8") == text, "run python editors/generate.py"


def patterns(rule: object) -> Iterator[tuple[str, str]]:
    """Every pattern of the TextMate grammar with the scopes it gives."""
    if isinstance(rule, list):
        for item in rule:
            yield from patterns(item)
    elif isinstance(rule, dict):
        for key, captures in (("match", "captures"), ("begin", "beginCaptures"), ("end", "endCaptures")):
            if key in rule:
                yield rule[key], " ".join(capture["name"] for capture in rule.get(captures, {}).values())
        for item in rule.values():
            yield from patterns(item)


def words_of(scope: str) -> set[str]:
    """The words that the committed TextMate grammar lists for a scope."""
    (pattern,) = (text for text, scopes in patterns(json.loads(TEXTMATE.read_text())) if scopes.startswith(scope))
    group = re.search(r"\((?:\?:)?(\w+(?:\|\w+)+)\)", pattern)
    assert group is not None
    return set(group[1].split("|"))


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ("storage.type.kind", set(KINDS)),
        ("support.class.variant", {shape.variant for shape in shapes().values() if shape.variant}),
        ("support.function", set(FUNCTIONS)),
    ],
)
def test_the_textmate_grammar_lists_the_words_of_the_schema(scope: str, words: set[str]) -> None:
    assert words_of(scope) == words


def test_the_textmate_grammar_colours_every_reserved_word() -> None:
    expressions = {
        word for scope in ("constant.language", "keyword.control.conditional", "keyword.operator.word") for word in words_of(scope)
    }
    items = {word for word in WORDS if any(rf"\b({word})" in pattern for pattern, _ in patterns(json.loads(TEXTMATE.read_text())))}
    assert expressions | items == set(WORDS)


def test_every_include_of_the_textmate_grammar_leads_somewhere() -> None:
    text = TEXTMATE.read_text()
    assert set(re.findall(r'"include": "#(\w+)"', text)) <= set(json.loads(text)["repository"])


def test_every_pattern_of_the_textmate_grammar_is_well_formed() -> None:
    # Python's dialect and Oniguruma's agree on what these patterns use.
    for pattern, _ in patterns(json.loads(TEXTMATE.read_text())):
        re.compile(pattern)


def test_the_committed_tree_sitter_parser_has_the_rules_and_reserved_words_of_its_grammar() -> None:
    source = (TREE_SITTER / "grammar.js").read_text()
    made = json.loads((TREE_SITTER / "src" / "grammar.json").read_text())
    assert list(made["rules"]) == re.findall(r"^    (\w+): \(", source[source.index("  rules: {") :], re.M)
    assert {word["value"] for word in made["reserved"]["global"]} == set(WORDS)
    tokens = re.findall(r"^    (?:\$\.(\w+)|'([^']+)'),", source[source.index("externals") : source.index("extras")], re.M)
    assert [token.get("name") or token["value"] for token in made["externals"]] == [name or text for name, text in tokens]


def test_the_scanner_names_its_tokens_in_the_order_of_the_grammar() -> None:
    source = (TREE_SITTER / "src" / "scanner.c").read_text()
    names = re.findall(r"^    (\w+),", source[source.index("enum Token {") : source.index("};")], re.M)
    assert len(names) == len(json.loads((TREE_SITTER / "src" / "grammar.json").read_text())["externals"])
    assert (names[0], names[-1]) == ("NEWLINE", "FAULT")
