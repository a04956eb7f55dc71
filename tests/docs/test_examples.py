"""Every `train` block of the documentation is compiled: it is clean, but for the findings that its lines announce."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from trainc.compiler.driver import analyse
from trainc.dsl.formatter import format_source
from trainc.dsl.source import Source

PAGES = [Path("README.md"), *sorted(Path("docs").glob("*.md"))]
EXPECTED = re.compile(r"# (?:error|warning)\[(TRN\d{3})\]")


def blocks(page: Path) -> list[tuple[int, str]]:
    text = page.read_text()
    return [(text.count("\n", 0, match.start()) + 1, match[1]) for match in re.finditer(r"^```train\n(.*?)^```", text, re.M | re.S)]


EXAMPLES = [(page, line, text) for page in PAGES for line, text in blocks(page)]


@pytest.mark.parametrize(("page", "line", "text"), EXAMPLES, ids=[f"{page}:{line}" for page, line, _ in EXAMPLES])
def test_an_example_does_what_its_page_says(page: Path, line: int, text: str, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "notes.txt").write_text("some text")
    (tmp_path / "chats.jsonl").write_text(
        '{"messages": [{"role": "user", "content": "Up?"}, {"role": "assistant", "content": "Down."}]}'
    )
    (tmp_path / "example.train").write_text(text)
    rows = enumerate(text.splitlines(), start=1)
    expected = [(number, code) for number, row in rows for code in EXPECTED.findall(row)]
    findings = analyse(tmp_path / "example.train", {}).findings
    found = [(finding.primary.line if finding.primary else 0, finding.code) for finding in findings]
    assert found == expected


@pytest.mark.parametrize(("page", "line", "text"), EXAMPLES, ids=[f"{page}:{line}" for page, line, _ in EXAMPLES])
def test_an_example_is_in_canonical_form(page: Path, line: int, text: str) -> None:
    if page.name == "rules.md":
        pytest.skip("made from the cases of the tests")
    assert format_source(Source(f"{page}:{line}", text)).text in (text, None)


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page} links to {target}"


SESSION = re.compile(r"^```console\n\$ (.*?)\n(.*?)^```", re.M | re.S)
SESSIONS = [(page, match[1], match[2]) for page in PAGES for match in SESSION.finditer(page.read_text())]


@pytest.mark.parametrize(("page", "command", "output"), SESSIONS, ids=[f"{page}:{command}" for page, command, _ in SESSIONS])
def test_a_console_session_prints_what_its_page_shows(page: Path, command: str, output: str) -> None:
    program = "import sys; sys.path.insert(0, '.src'); from trainc.compiler.cli import main; main()"
    arguments = shlex.split(command.removeprefix("trainc "))
    shown = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert shown.stdout == output
