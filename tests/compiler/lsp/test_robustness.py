"""No text makes a feature raise: specs with pieces cut out and foreign ones put in, asked about anywhere."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pygls")

from lsprotocol import types
from trainc.compiler.lsp import (
    actions,
    completion,
    definition,
    diagnostics,
    folding,
    hover,
    inlay,
    references,
    rename,
    symbols,
    tokens,
)
from trainc.compiler.lsp.buffers import Buffer
from trainc.compiler.lsp.spot import spot
from trainc.compiler.lsp.workspace import Workspace

TEXTS = [Path(path).read_text() for path in ("examples/quickstart/quickstart.train", "tests/dsl/whole_file.train")]
PIECES = st.sampled_from(
    [
        *"{}[]()=.,#\0",
        '"',
        '"""',
        "${",
        "\n",
        "\r\n",
        "## ",
        "import ",
        "let ",
        "stage x ",
        "assert ",
        "if ",
        "80 GiB",
        "gpus.",
        "é🚀",
        "",
    ]
)
WHOLE = types.Range(types.Position(0, 0), types.Position(10_000, 0))


@given(
    text=st.sampled_from(TEXTS),
    edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), PIECES), max_size=4),
    place=st.floats(0, 1),
)
@settings(max_examples=60)
def test_every_feature_answers_for_any_text(text: str, edits: list[tuple[float, int, str]], place: float) -> None:
    for share, length, piece in edits:
        start = int(share * len(text))
        text = text[:start] + piece + text[start + length :]
    path = Path("/nowhere/spec.train")
    workspace = Workspace()
    workspace.buffers.put(path, Buffer(path.as_uri(), 1, text))
    diagnostics.by_file(workspace, [path])
    found = spot(workspace, path)
    assert found is not None
    asked = replace(found, offset=int(place * len(text)))
    for feature in (
        hover.hover,
        definition.definition,
        references.highlights,
        symbols.outline,
        folding.folding_ranges,
        tokens.semantic_tokens,
    ):
        feature(asked)
    completion.complete(asked, with_snippets=True)
    references.references(asked, with_declaration=True)
    inlay.inlay_hints(asked, 0, len(text))
    actions.code_actions(asked, WHOLE, None)
    symbols.workspace_symbols(workspace, "a")
    with suppress(rename.RefusedError):
        rename.rename(asked, "fresh_name")
