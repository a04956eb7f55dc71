"""The VS Code extension, as far as can be told without an editor; `make editors` and `make vscode` do the rest."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from trainc.compiler.driver import analyse
from trainc.compiler.spec import KINDS
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.version import VERSION

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text())
LANGUAGE = json.loads((EXTENSION / "language-configuration.json").read_text())
SNIPPETS = json.loads((EXTENSION / "snippets" / "train.json").read_text())
# One of several choices, or a text that is offered.
PLACEHOLDER = re.compile(r"\$\{\d+(?:\|([^,|]*)[^|]*\||:([^{}]*))\}")


def test_every_file_that_the_package_names_exists() -> None:
    contributes = PACKAGE["contributes"]
    named = [PACKAGE["main"], contributes["languages"][0]["configuration"]]
    named += [entry["path"] for key in ("grammars", "snippets") for entry in contributes[key]]
    assert [name for name in named if not (EXTENSION / name).is_file()] == []
    assert all((EXTENSION / name).is_file() for name in ("README.md", "LICENSE"))


def test_the_extension_has_the_version_and_licence_of_trainc() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (PACKAGE["version"], PACKAGE["license"]) == (VERSION, project["license"])
    assert (EXTENSION / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_every_setting_and_command_of_the_code_is_declared() -> None:
    code = (EXTENSION / "extension.js").read_text()
    declared = {
        *PACKAGE["contributes"]["configuration"]["properties"],
        *(entry["command"] for entry in PACKAGE["contributes"]["commands"]),
    }
    assert set(re.findall(r"'(trainc\.[a-z]+)'", code)) <= declared


def test_a_program_that_the_folder_names_needs_the_users_trust() -> None:
    assert "trainc.path" in PACKAGE["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert "isTrusted" in (EXTENSION / "extension.js").read_text()


@pytest.mark.parametrize(
    ("line", "grows"),
    [
        ("mesh m {", True),
        ("  targets = [", True),
        ("  batch {  # later", True),
        ("mesh m { tp = 2 }", False),
        ("# mesh m {", False),
        ('let s = "{"', False),
        ('let s = "a" + f(', True),
    ],
)
def test_the_line_after_an_open_bracket_is_indented(line: str, grows: bool) -> None:
    assert bool(re.search(LANGUAGE["indentationRules"]["increaseIndentPattern"], line)) is grows


def test_a_line_that_closes_a_bracket_moves_back() -> None:
    pattern = LANGUAGE["indentationRules"]["decreaseIndentPattern"]
    assert [bool(re.search(pattern, line)) for line in ("}", "  ], ", "a }")] == [True, True, False]


def expand(prefix: str) -> str:
    (body,) = (entry["body"] for entry in SNIPPETS.values() if entry["prefix"] == prefix)
    return PLACEHOLDER.sub(lambda match: match[1] or match[2], "\n".join(body)) + "\n"


def findings(folder: Path, text: str) -> list[Diagnostic]:
    (folder / "corpus").mkdir()
    (folder / "corpus" / "notes.txt").write_text("some text")
    (folder / "spec.train").write_text(text)
    # What nothing uses yet is what a snippet has just put in.
    return [
        finding for finding in analyse(folder / "spec.train", {}).findings if finding.code not in ("TRN907", "TRN908", "TRN909")
    ]


def test_the_snippets_make_a_spec_without_findings(tmp_path: Path) -> None:
    prefixes = [
        "import",
        "importfile",
        "param",
        "let",
        "cluster",
        "mesh",
        "model",
        "data",
        "precision",
        "stage",
        "stageamend",
        "assert",
    ]
    assert {entry["prefix"] for entry in SNIPPETS.values()} == {*prefixes, "allow"}
    (tmp_path / "data.train").write_text("let unused = 1\n")
    assert findings(tmp_path, "import std.models.tiny\n" + "".join(map(expand, prefixes))) == []


def test_every_choice_of_a_snippet_exists(tmp_path: Path) -> None:
    modules = re.search(r"\|([^|]*)\|", SNIPPETS["Standard library module"]["body"][0])
    types = re.search(r"\|([^|]*)\|", SNIPPETS["Parameter"]["body"][0])
    assert modules is not None
    assert types is not None
    text = "".join(f"import std.{name}\n" for name in modules[1].split(","))
    text += "".join(f"param p{index}: [{name}] = []\n" for index, name in enumerate(types[1].split(",")))
    assert findings(tmp_path, text) == []


def test_the_kinds_with_a_snippet_are_kinds() -> None:
    kinds = {
        match[0]
        for entry in SNIPPETS.values()
        if (match := re.match(r"(cluster|mesh|model|data|precision|stage)\b", entry["body"][0]))
    }
    assert kinds <= set(KINDS)
    assert len(kinds) == 6
