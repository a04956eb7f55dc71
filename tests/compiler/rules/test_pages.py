"""The manual has one page for each code, and docs/rules.md is made of them."""

import ast
import importlib.util
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from trainc.compiler import pages, rules
from trainc.dsl.diagnostics import Severity

ROOT = Path(__file__).parents[3]


def test_a_code_means_one_thing() -> None:
    assert [code for code, count in Counter(pages.codes()).items() if count > 1] == []


def test_every_docstring_of_a_code_is_found() -> None:
    files = [file for layer in ("dsl", "compiler") for file in (ROOT / layer).rglob("*.py")]
    written = {code for file in files for code in re.findall(r'"""(TRN\d{3}): ', file.read_text())}
    assert written == set(pages.codes())


SOURCES = [file for layer in ("dsl", "compiler") for file in sorted((ROOT / layer).rglob("*.py"))]
CODE = re.compile(r"TRN\d{3}")


def test_every_code_in_the_sources_has_a_page() -> None:
    named = {code for file in SOURCES for code in re.findall(r"[\"'](TRN\d{3})[\"']", file.read_text())}
    assert named - set(pages.codes()) == pages.RETIRED.keys()


def test_a_retired_code_leads_to_one_that_is_made() -> None:
    assert set(pages.RETIRED) & set(pages.codes()) == set()
    assert set(pages.RETIRED.values()) <= set(pages.codes())


def makers(file: Path) -> Iterator[tuple[str, str, str]]:
    """Each function of a file that makes a diagnostic: its name, the code it makes, and the one that its docstring begins with."""
    tree = ast.parse(file.read_text())
    constants = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Constant)
    }
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args:
                first = call.args[0]
                code = first.value if isinstance(first, ast.Constant) else constants.get(getattr(first, "id", ""))
                if isinstance(code, str) and CODE.fullmatch(code):
                    yield f"{file.stem}.{function.name}", code, (ast.get_docstring(function) or "")[:6]


def test_each_code_is_made_by_the_one_function_whose_docstring_is_its_page() -> None:
    made = {maker for file in SOURCES for maker in makers(file)}
    assert [maker for maker in made if maker[1] != maker[2]] == []
    assert [code for code, count in Counter(code for _, code, _ in made).items() if count > 1] == []
    rule_codes = {rules.code(name) for name in rules.names()}
    assert {code for _, code, _ in made} == set(pages.codes()) - rule_codes


@pytest.mark.parametrize("code", pages.codes())
def test_a_page_is_complete(code: str) -> None:
    page = pages.page(code)
    assert page is not None
    assert page.code == code
    assert all((page.fault, page.why, page.example, page.instead))
    assert page.text.startswith(f"{code} ({page.severity.value}): {page.fault}\n")


# An issue or pull request, a vulnerability, a paper, a document with a number, or a page.
SOURCE = re.compile(r"\b[\w-]+/[\w.-]+#\d+|\bCVE-\d{4}-\d{4,}|\barXiv:\d{4}\.\d{4,}|\b(?:RFC|PEP|UAX|UTS|UTR) #?\d+|\bhttps://\w")


@pytest.mark.parametrize("code", pages.codes())
def test_a_page_names_the_public_source_of_the_failure(code: str) -> None:
    page = pages.page(code)
    assert page is not None
    assert SOURCE.search(page.why), page.why


@pytest.mark.parametrize("name", rules.names())
def test_a_rule_says_its_own_code_and_severity(name: str) -> None:
    page = pages.page(rules.code(name))
    assert page is not None
    assert page.docstring.startswith(f"{rules.code(name)}: ")
    assert page.severity is getattr(rules.module(name), "SEVERITY", Severity.ERROR)


def test_there_is_no_page_for_an_unknown_code() -> None:
    assert pages.page("TRN999") is None
    assert pages.page("") is None


def test_one_page_reads_no_other_rule() -> None:
    program = """
import sys
from trainc.compiler import pages
assert pages.page("TRN203") is not None
print(*(name for name in sys.modules if ".rules.trn" in name))
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": ".src"}, cwd=ROOT
    )
    assert result.stdout.split() == ["trainc.compiler.rules.trn203_tensor_parallel_splits_heads"]


def test_the_reference_is_current() -> None:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == generate.rules(), "run python docs/generate.py"
    assert (ROOT / "docs" / "fields.md").read_text(encoding="utf-8") == generate.fields(), "run python docs/generate.py"
