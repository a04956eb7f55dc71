"""What goes on between an editor and the server: documents open and change, and findings follow after a short pause."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from . import diagnostics
from .buffers import Buffer
from .spot import Spot, spot
from .workspace import Workspace

# Long enough that a fast typist is not followed letter by letter, short enough not to be noticed.
PAUSE_SECONDS = 0.15


class Session:
    """The workspace of one editor and what was published to it."""

    def __init__(self, server: LanguageServer):
        self.server = server
        self.workspace = Workspace()
        self._published: dict[str, tuple[int | None, list[types.Diagnostic]]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, folders: list[str], encoding: str) -> None:
        """Takes what the two sides agreed on at the start."""
        self.take_folders(folders)
        self.workspace.encoding = encoding
        asyncio.get_running_loop().set_exception_handler(self._report)

    def take_folders(self, uris: list[str]) -> None:
        """Takes the folders that the editor has open."""
        found = {path: uri for uri in uris if (path := self.path(uri)) is not None}
        self.workspace.folders = list(found)
        spelt = {path: Path(to_fs_path(uri) or path) for path, uri in found.items()}
        self.workspace.spellings = {path: spelling for path, spelling in spelt.items() if spelling != path}

    def path(self, uri: str) -> Path | None:
        """The file behind a URI; a document that was never saved counts as one in the first folder."""
        parts = urlsplit(uri)
        if parts.scheme == "file":
            found = to_fs_path(uri)
            return Path(found).resolve() if found and "\0" not in found else None
        folder = self.workspace.folders[0] if self.workspace.folders else Path.cwd()
        name = unquote(parts.path).replace("\0", "").rpartition("/")[2] or "untitled"
        return (folder / name).resolve()

    # Documents

    def take(self, uri: str, version: int | None, text: str) -> None:
        """A document as it is now."""
        path = self.path(uri)
        if path is not None:
            self.workspace.buffers.put(path, Buffer(uri, version, text.removeprefix("\ufeff")))
            self.soon()

    def close(self, uri: str) -> None:
        """A document that the editor lets go of; its findings go with it unless another open spec reads it."""
        path = self.path(uri)
        if path is not None:
            self.workspace.buffers.close(path)
            self.publish()

    def on_disk(self) -> None:
        """Files outside the editor have changed."""
        self.workspace.buffers.touch()
        self.soon()

    # Findings

    def soon(self) -> None:
        """Publishes after a pause in which nothing more changes."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self.publish)

    def publish(self) -> None:
        """Sends the findings of every file that changed them, and clears those of files that are no longer looked at."""
        found = diagnostics.by_file(self.workspace, list(self.workspace.buffers.open))
        shown = {self.workspace.uri(path): (self._version(path), findings) for path, findings in found.items()}
        for uri in [*shown, *(uri for uri in self._published if uri not in shown)]:
            version, findings = shown.get(uri, (None, []))
            if self._published.get(uri, (None, [])) != (version, findings):
                self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, findings, version))
        self._published = shown

    def _version(self, path: Path) -> int | None:
        buffer = self.workspace.buffers.open.get(path)
        return buffer.version if buffer is not None else None

    def _report(self, _: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        fault = context.get("exception")
        logging.getLogger(__name__).error("a defect of trainc", exc_info=fault if isinstance(fault, Exception) else None)
        message = f"error[TRN000]: a defect of trainc: {type(fault).__name__}: {fault}; please report it"
        self.server.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    # Requests

    def spot(self, document: types.TextDocumentIdentifier, position: types.Position | None = None) -> Spot | None:
        """The place that a request asks about."""
        path = self.path(document.uri)
        return spot(self.workspace, path, position) if path is not None else None
