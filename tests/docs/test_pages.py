"""The pages are found from the index, and what they say lies somewhere lies there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path("docs")
GUIDES = [Path("ARCHITECTURE.md"), Path("CONTRIBUTING.md")]
# `compiler/rules/trnNNN_fault.py` and the like are patterns, not paths.
PATH = re.compile(r"`((?:dsl|compiler|stdlib|editors|tests|docs)/[\w./-]*)`")


def test_every_page_is_in_the_index() -> None:
    linked = set(re.findall(r"\]\((\w+\.md)\)", (DOCS / "README.md").read_text()))
    assert linked == {page.name for page in DOCS.glob("*.md")} - {"README.md"}


@pytest.mark.parametrize("page", GUIDES, ids=str)
def test_links_of_a_guide_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", [*GUIDES, *(page for page in DOCS.glob("*.md") if page.name != "rules.md")], ids=str)
def test_a_path_that_a_page_names_is_there(page: Path) -> None:
    named = [path for path in PATH.findall(page.read_text()) if "NAME" not in path and "NNN" not in path]
    assert [path for path in named if not Path(path).exists()] == []
