"""The server itself: how it starts and stops, and that no defect ends it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

SOURCE = str(Path(".src").resolve())
MAIN = "from trainc.compiler.cli import main; main()"


def test_it_stops_when_it_is_told_to(start: Callable[..., Any]) -> None:
    assert start().stop() == 0


def test_it_stops_when_its_editor_is_gone(start: Callable[..., Any]) -> None:
    editor = start()
    editor.process.stdin.close()
    assert editor.process.wait(timeout=30) == 0


def test_what_is_printed_does_not_disturb_the_protocol(start: Callable[..., Any]) -> None:
    chatty = f"""
import sys; sys.path.insert(0, {SOURCE!r})
from trainc.compiler.lsp import symbols
original = symbols.outline
def prints(spot):
    print("something")
    return original(spot)
symbols.outline = prints
{MAIN}"""
    document = start(program=chatty).open("a.train", "let a = 1\n")
    assert document.ask("documentSymbol")[0]["name"] == "a"
    assert document.ask("documentSymbol")[0]["name"] == "a"


def test_a_defect_in_a_request_is_answered_and_the_server_lives_on(start: Callable[..., Any]) -> None:
    broken = f"""
import sys; sys.path.insert(0, {SOURCE!r})
from trainc.compiler.lsp import hover
def fails(spot): raise ZeroDivisionError("on purpose")
hover.hover = fails
{MAIN}"""
    editor = start(program=broken)
    document = editor.open("a.train", "let a = b\n")
    position = {"line": 0, "character": 4}
    answer = editor.answer("textDocument/hover", {"textDocument": {"uri": document.uri}, "position": position})
    assert "on purpose" in answer["error"]["message"]
    assert document.ask("documentSymbol")[0]["name"] == "a"
    assert len(document.findings()) == 1
    assert any(b"ZeroDivisionError" in line for line in editor.log)


def test_a_defect_in_checking_is_told_and_the_server_lives_on(start: Callable[..., Any]) -> None:
    broken = f"""
import sys; sys.path.insert(0, {SOURCE!r})
from trainc.compiler import driver
original = driver.check
def fails(elaborated, folder):
    if "wrong" in elaborated.origins.by_path: raise ZeroDivisionError("on purpose")
    return original(elaborated, folder)
driver.check = fails
{MAIN}"""
    editor = start(program=broken)
    document = editor.open("a.train", "mesh wrong {}\n")
    while not any(note.get("method") == "window/logMessage" for note in editor.notes):
        editor.notes.append(editor.inbox.get(timeout=30))
    told = next(note for note in editor.notes if note.get("method") == "window/logMessage")
    assert "error[TRN000]: a defect of trainc: ZeroDivisionError: on purpose" in told["params"]["message"]
    document.change("let a = b\n")
    assert document.findings()[0]["code"] == "TRN101"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {"textDocument": {"uri": "file:///nowhere/x.train"}, "position": {"line": 5, "character": 5}}),
        ("textDocument/definition", {"textDocument": {"uri": "file:///a%00b"}, "position": {"line": 0, "character": 0}}),
        ("textDocument/foldingRange", {"textDocument": {"uri": "file:///"}}),
    ],
)
def test_what_cannot_be_read_has_an_empty_answer(editor: Any, method: str, params: dict[str, Any]) -> None:
    assert not editor.request(method, params)


def test_malformed_parameters_are_an_error_and_no_end(editor: Any) -> None:
    assert "error" in editor.answer("textDocument/hover", {"textDocument": 3})
    assert editor.open("a.train", "let a = 1").ask("documentSymbol")[0]["name"] == "a"


@pytest.mark.parametrize(
    "text", ["", "\ufeff", "\0", "{", '"', "let a = " + "(" * 500, "import import import", "a" * 5000 + "\n" * 50]
)
def test_every_request_answers_for_every_text(editor: Any, text: str) -> None:
    document = editor.open("a.train", text)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 100, "character": 0}}
    for position in ({"line": 0, "character": 0}, {"line": 0, "character": len(text)}):
        for method in ("hover", "definition", "documentHighlight", "completion"):
            document.ask(method, position)
        document.ask("references", position, context={"includeDeclaration": True})
    for method in ("documentSymbol", "foldingRange", "semanticTokens/full"):
        document.ask(method)
    document.ask("inlayHint", range=whole)
    document.ask("codeAction", range=whole, context={"diagnostics": []})
    document.findings()


def test_without_pygls_the_command_names_the_extra() -> None:
    program = f"import sys; sys.path.insert(0, {SOURCE!r}); sys.modules['pygls'] = None\n{MAIN}"
    result = subprocess.run([sys.executable, "-c", program, "lsp"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "pip install 'trainc[lsp]'" in result.stderr
