"""The manual has one page for each code, and docs/rules.md is made of them."""

import importlib.util
import re
import subprocess
import sys
from collections import Counter
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


@pytest.mark.parametrize("code", pages.codes())
def test_a_page_is_complete(code: str) -> None:
    page = pages.page(code)
    assert page is not None
    assert page.code == code
    assert all((page.fault, page.why, page.example, page.instead))
    assert page.text.startswith(f"{code} ({page.severity.value}): {page.fault}\n")


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
