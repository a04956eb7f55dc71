"""Wires every feature to the protocol; what they do stands in their own files."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import redirect_stdout

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from trainc.dsl.version import VERSION

from . import actions, tokens
from .completion import complete
from .definition import definition
from .folding import folding_ranges
from .formatting import formatting
from .hover import hover
from .inlay import inlay_hints
from .protocol import AnsweringProtocol
from .references import highlights, references
from .rename import RefusedError, prepare, rename
from .session import Session
from .symbols import outline, workspace_symbols


def serve() -> None:
    """Speaks the protocol over standard input and output until the editor says exit."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_defect)
    # The wire is the server's own: whatever else is printed goes to the log, and standard output stays open at the end.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as wire, redirect_stdout(sys.stderr):
        build().start_io(stdout=wire)


def _is_defect(record: logging.LogRecord) -> bool:
    """A refused rename is an answer like any other: it does not belong into the log."""
    return record.exc_info is None or not isinstance(record.exc_info[1], RefusedError)


def build() -> LanguageServer:
    """A server with every feature registered."""
    # Whole texts: they are small, and an edit by positions that the two sides count differently would corrupt them silently.
    sync = types.TextDocumentSyncKind.Full
    server = LanguageServer("trainc", VERSION, text_document_sync_kind=sync, protocol_cls=AnsweringProtocol)
    session = Session(server)
    _register_documents(server, session)
    _register_reading(server, session)
    _register_navigation(server, session)
    _register_rename(server, session)
    _register_outline(server, session)
    _register_extras(server, session)
    return server


def _register_documents(server: LanguageServer, session: Session) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(_: types.InitializeParams) -> None:
        workspace = server.workspace
        roots = [*workspace.folders] or ([workspace.root_uri] if workspace.root_uri else [])
        session.begin(roots, types.PositionEncodingKind(workspace.position_encoding))

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        _watch_files(server)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        session.take(document.uri, document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        session.take(uri, params.text_document.version, server.workspace.get_text_document(uri).source)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        session.close(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_: types.DidSaveTextDocumentParams) -> None:
        session.on_disk()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(_: types.DidChangeWatchedFilesParams) -> None:
        session.on_disk()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(_: types.DidChangeWorkspaceFoldersParams) -> None:
        session.take_folders(list(server.workspace.folders))
        session.soon()


def _register_reading(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def shown(params: types.HoverParams) -> types.Hover | None:
        spot = session.spot(params.text_document, params.position)
        return hover(spot) if spot is not None else None

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "=", " ", '"', "/"]))
    def completed(params: types.CompletionParams) -> types.CompletionList | None:
        spot = session.spot(params.text_document, params.position)
        return complete(spot, _takes_snippets(server)) if spot is not None else None


def _register_navigation(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def defined(params: types.DefinitionParams) -> list[types.Location]:
        spot = session.spot(params.text_document, params.position)
        return definition(spot) if spot is not None else []

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def used(params: types.ReferenceParams) -> list[types.Location]:
        spot = session.spot(params.text_document, params.position)
        return references(spot, params.context.include_declaration) if spot is not None else []

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlighted(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        spot = session.spot(params.text_document, params.position)
        return highlights(spot) if spot is not None else []


def _register_rename(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepared(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        spot = session.spot(params.text_document, params.position)
        return prepare(spot) if spot is not None else None

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    def renamed(params: types.RenameParams) -> types.WorkspaceEdit | None:
        spot = session.spot(params.text_document, params.position)
        return rename(spot, params.new_name) if spot is not None else None


def _register_outline(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outlined(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        spot = session.spot(params.text_document)
        return outline(spot) if spot is not None else []

    @server.feature(types.WORKSPACE_SYMBOL)
    def listed(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return workspace_symbols(session.workspace, params.query)

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folded(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        spot = session.spot(params.text_document)
        return folding_ranges(spot) if spot is not None else []

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, tokens.LEGEND)
    def coloured(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        spot = session.spot(params.text_document)
        return tokens.semantic_tokens(spot) if spot is not None else None


def _register_extras(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hinted(params: types.InlayHintParams) -> list[types.InlayHint]:
        spot = session.spot(params.text_document)
        if spot is None:
            return []
        return inlay_hints(spot, spot.lines.offset(params.range.start), spot.lines.offset(params.range.end))

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(actions.KINDS))
    def offered(params: types.CodeActionParams) -> list[types.CodeAction]:
        spot = session.spot(params.text_document)
        return actions.code_actions(spot, params.range, params.context.only) if spot is not None else []

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatted(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        spot = session.spot(params.text_document)
        return formatting(spot) if spot is not None else []


def _takes_snippets(server: LanguageServer) -> bool:
    document = server.client_capabilities.text_document
    item = document.completion.completion_item if document and document.completion else None
    return bool(item and item.snippet_support)


def _watch_files(server: LanguageServer) -> None:
    """Asks to be told of changes on disk, where the editor can tell."""
    workspace = server.client_capabilities.workspace
    watched = workspace.did_change_watched_files if workspace else None
    if watched is None or not watched.dynamic_registration:
        return
    watchers = [types.FileSystemWatcher(pattern) for pattern in ("**/*.train", "**/trainc.toml", "**/pyproject.toml")]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    registration = types.Registration("trainc-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    server.client_register_capability(types.RegistrationParams([registration]))
