from __future__ import annotations

import itertools
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROGRAM = f"import sys; sys.path.insert(0, {str(Path('.src').resolve())!r}); from trainc.compiler.cli import main; main()"
SECONDS = 30


class Editor:
    """Speaks the protocol to a `trainc lsp` in a process of its own."""

    def __init__(self, folder: Path, capabilities: dict[str, Any] | None = None, program: str = PROGRAM):
        command = [sys.executable, "-c", program, "lsp", "--stdio"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.folder = folder
        self.numbers = itertools.count(1)
        self.inbox: queue.Queue[dict[str, Any]] = queue.Queue()
        self.notes: list[dict[str, Any]] = []
        self.log: list[bytes] = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._drain, daemon=True).start()
        root = {"uri": folder.as_uri(), "name": folder.name}
        rename = {"textDocument": {"rename": {"prepareSupport": True}}}
        started = self.request(
            "initialize",
            {
                "processId": None,
                "capabilities": {**rename, **(capabilities or {})},
                "workspaceFolders": [root],
                "rootUri": root["uri"],
            },
        )
        self.capabilities = started["capabilities"]
        self.notify("initialized", {})

    def _read(self) -> None:
        assert self.process.stdout is not None
        while header := self.process.stdout.readline():
            size = int(header.decode().partition(":")[2])
            while self.process.stdout.readline().strip():
                pass
            self.inbox.put(json.loads(self.process.stdout.read(size)))

    def _drain(self) -> None:
        assert self.process.stderr is not None
        self.log.extend(self.process.stderr)

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def answer(self, method: str, params: Any) -> dict[str, Any]:
        """The whole answer to a request, an error too."""
        number = next(self.numbers)
        self.send({"id": number, "method": method, "params": params})
        while (message := self.inbox.get(timeout=SECONDS)).get("id") != number or "method" in message:
            self.notes.append(message)
        return message

    def request(self, method: str, params: Any) -> Any:
        answer = self.answer(method, params)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def published(self, uri: str, version: int | None = None) -> list[dict[str, Any]]:
        """The next findings of a document, at a version where one is given."""
        while True:
            for note in self.notes:
                params = note.get("params") or {}
                if note.get("method") != "textDocument/publishDiagnostics" or params["uri"] != uri:
                    continue
                if version is None or params.get("version") == version:
                    self.notes.remove(note)
                    found: list[dict[str, Any]] = params["diagnostics"]
                    return found
            self.notes.append(self.inbox.get(timeout=SECONDS))

    def open(self, name: str, text: str) -> Document:
        path = self.folder / name
        document = Document(self, path.as_uri(), text)
        item = {"uri": document.uri, "languageId": "train", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return document

    def stop(self) -> int:
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class Document:
    editor: Editor
    uri: str
    text: str
    version: int = 1
    opened: bool = field(default=True)

    def change(self, text: str) -> None:
        self.text = text
        self.version += 1
        named = {"uri": self.uri, "version": self.version}
        self.editor.notify("textDocument/didChange", {"textDocument": named, "contentChanges": [{"text": text}]})

    def close(self) -> None:
        self.editor.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})

    def findings(self) -> list[dict[str, Any]]:
        return self.editor.published(self.uri, self.version)

    def at(self, words: str, offset: int = 0) -> dict[str, int]:
        """The position of words in the text, in UTF-16."""
        before = self.text[: self.text.index(words) + offset]
        line = before.rpartition("\n")[2]
        return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}

    def ask(self, method: str, position: dict[str, int] | None = None, **more: Any) -> Any:
        where = {"position": position} if position is not None else {}
        return self.editor.request(f"textDocument/{method}", {"textDocument": {"uri": self.uri}, **where, **more})

    def taken(self, place: dict[str, Any]) -> str:
        """The text of a range, by UTF-16 positions."""
        units = self.text.encode("utf-16-le")
        lines = self.text.split("\n")
        starts = [sum(len(line.encode("utf-16-le")) + 2 for line in lines[:number]) for number in range(len(lines))]
        start, end = (starts[place[side]["line"]] + 2 * place[side]["character"] for side in ("start", "end"))
        return units[start:end].decode("utf-16-le")


@pytest.fixture(scope="session")
def shared_editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    editor = Editor(tmp_path_factory.mktemp("workspace"))
    yield editor
    editor.kill()


@pytest.fixture
def editor(shared_editor: Editor) -> Iterator[Editor]:
    """An editor in an empty folder; its server is shared by the tests, which use documents of their own."""
    root = shared_editor.folder
    shared_editor.folder = root / f"folder{next(shared_editor.numbers)}"
    shared_editor.folder.mkdir()
    yield shared_editor
    shared_editor.folder = root


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Editor]]:
    """Starts servers of a test's own."""
    started: list[Editor] = []

    def run(*arguments: Any, **named: Any) -> Editor:
        started.append(Editor(tmp_path, *arguments, **named))
        return started[-1]

    yield run
    for editor in started:
        editor.kill()
