"""`trainc lsp`: the language server."""

from __future__ import annotations

import importlib.util

import click


@click.command(epilog="Editors start it themselves: docs/editors.md says how to set them up.")
@click.option("--stdio", is_flag=True, help="Speak over standard input and output; it always does, editors like to say so.")
def command(stdio: bool) -> None:
    """Serve editors: findings as you type, hover, completion, definition, rename and more.

    Speaks the Language Server Protocol over standard input and output. Needs the extra `trainc[lsp]`.
    """
    if importlib.util.find_spec("pygls") is None:
        raise click.UsageError("the language server needs pygls: pip install 'trainc[lsp]'")
    from ..lsp.server import serve

    serve()
