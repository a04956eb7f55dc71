"""Every page of a fault is true: its example, lines of a spec or a session, makes the fault, and what to write instead does not."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from page_specs import BASE, fault_spec
from sessions import is_session, play
from trainc.compiler import pages, rules, type_errors
from trainc.compiler.driver import analyse
from trainc.compiler.runs import faults
from trainc.compiler.runs.pipeline import run_pipeline
from trainc.dsl.diagnostics import Diagnostic, Severity
from trees import NOWHERE

ROOT = Path(__file__).parents[2]
FIRST = ROOT / "stdlib" / "recipes" / "first.train"
CODES = sorted(set(pages.codes()) - {rules.code(name) for name in rules.names()})

# What a test cannot type: a finding of each code, and why.
UNTYPED = (
    (type_errors.too_many_steps(2, NOWHERE), "takes most of a minute; tests/compiler/test_limits.py lowers the limit"),
    (
        faults.bundle_not_launchable(Path("b"), "no script"),
        "no version of trainc makes such a bundle; runs/test_pipeline.py does",
    ),
    (faults.interpreter_lacks("python", ["torch"]), "installs packages; runs/test_pipeline.py asks a Python that has none"),
    (faults.run_in_use(Path("runs/first")), "takes two processes at once; runs/test_pipeline.py holds the lock"),
)
UNTYPED_CODES = [finding.code for finding, _ in UNTYPED]

# A declaration of an example may stay unused; other codes are read by what they are about.
UNUSED = {"TRN907", "TRN909"}


def page(code: str) -> pages.Page:
    found = pages.page(code)
    assert found is not None
    return found


def findings(code: str, example: str) -> tuple[Diagnostic, ...]:
    found = analyse(BASE.with_name(f"{code}_page.train"), {}, fault_spec(example)).findings
    return tuple(finding for finding in found if finding.code not in UNUSED - {code})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sessions are typed: `spec.train`, the base spec with a pipeline, and `first.train`, which `trainc init` writes.

    A Python without torch stands in for the one that trains: it says that all packages are there, and writes what a stage leaves.
    The shell finds `trainc` on its PATH, and git has somebody to commit as.
    """
    home = tmp_path / "home"
    place = tmp_path / "work"
    for made in (home, place):
        made.mkdir()
    (place / "spec.train").write_text(fault_spec(""))
    shutil.copy(FIRST, place)
    program = f"import sys; sys.path.insert(0, {str(ROOT / '.src')!r}); from trainc.compiler.cli import main; main()"
    script(home / "trainc", f'exec {shlex.quote(sys.executable)} -c {shlex.quote(program)} "$@"')
    finished = '{"event": "finished", "time": 1}'
    script(home / "python", f"""if [ "$1" != -c ]; then echo '{finished}' >> "$TRAINC_RUN_DIR/events.jsonl"; fi""")
    monkeypatch.setitem(run_pipeline.__kwdefaults__, "python", str(home / "python"))
    for name, value in environment(home).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(place)
    return place


def script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def environment(home: Path) -> Mapping[str, str]:
    names = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in (("NAME", "A"), ("EMAIL", "a@b.c"))}
    return {**names, "PATH": f"{home}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}


SPECS = [code for code in CODES if not is_session(page(code).example)]
SESSIONS = [code for code in CODES if is_session(page(code).example) and code not in UNTYPED_CODES]


@pytest.mark.parametrize("code", SPECS)
def test_an_example_has_the_fault_and_nothing_else_but_what_it_names(code: str) -> None:
    example = page(code).example
    found = findings(code, example)
    assert code in {finding.code for finding in found}
    assert {finding.code for finding in found} <= {code, *re.findall(r"TRN\d{3}", example)}
    assert {finding.severity for finding in found if finding.code == code} == {page(code).severity}


@pytest.mark.parametrize("code", SPECS)
def test_what_to_write_instead_has_no_fault(code: str) -> None:
    assert not is_session(page(code).instead)
    assert [finding.message for finding in findings(code, page(code).instead)] == []


@pytest.mark.parametrize("code", SESSIONS)
def test_a_session_ends_with_the_fault(code: str, folder: Path) -> None:
    *before, last = play(page(code).example)
    assert [(answer.exit_code, answer.codes) for answer in before] == [(0, frozenset())] * len(before)
    assert last.codes == {code}, last.output
    assert (last.exit_code == 0) == (page(code).severity is not Severity.ERROR)


@pytest.mark.parametrize("code", SESSIONS)
def test_a_fault_outside_a_spec_begins_small_and_has_help(code: str, folder: Path) -> None:
    *_, last = play(page(code).example)
    messages = re.findall(rf"^\w+\[{code}\]: (.*)$", last.output, re.MULTILINE)
    assert messages
    assert [message for message in messages if message[0].isupper() or message.endswith((".", "!"))] == []
    # What a setting takes is said by the message itself.
    assert code == "TRN913" or last.output.count("  = help: ") == len(messages)


@pytest.mark.parametrize("code", SESSIONS)
def test_the_session_instead_ends_well(code: str, folder: Path) -> None:
    answers = list(play(page(code).instead))
    assert [(answer.exit_code, answer.codes, answer.output) for answer in answers if answer.exit_code or answer.codes] == []
    assert answers[-1].command.startswith("trainc ")


@pytest.mark.parametrize("finding", [finding for finding, _ in UNTYPED], ids=UNTYPED_CODES)
def test_what_is_not_typed_is_a_session_of_a_finding_all_the_same(finding: Diagnostic) -> None:
    assert is_session(page(finding.code).example)
    assert is_session(page(finding.code).instead)
    assert finding.severity is page(finding.code).severity
