"""The group of commands; each is imported only when it is asked for."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "init": "Write a first spec that runs on this machine.",
    "check": "Find every mistake that can be found before a GPU is taken.",
    "fmt": "Rewrite specs in canonical form.",
    "explain": "Say what a code means, why it matters and what to do.",
    "docs": "Describe a kind or variant of the language, field by field.",
    "show": "Print the resolved spec, every default visible.",
    "schema": "Print the JSON Schema of what `show` prints.",
    "plan": "Say what will happen: ranks, batches, steps, parameters, memory.",
    "graph": "Draw the stages with what flows into them.",
    "diff": "Say what changed in meaning between two specs.",
    "compile": "Write a bundle that launches anywhere.",
    "verify": "Compare a bundle with what was compiled.",
    "run": "Compile if needed, launch on this machine, follow progress.",
    "report": "Show what a run did.",
    "lsp": "Serve editors: findings as you type, hover, completion, rename.",
    "completion": "Print the script that makes a shell complete all this.",
}

# Set by a shell that asks what may follow.
COMPLETING = "_TRAINC_COMPLETE"


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f".{cmd_name}", __package__).command
        assert isinstance(command, click.Command)
        if COMPLETING in os.environ:
            from .completing import teach

            teach(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        # click would import every command to offer their names.
        named = [CompletionItem(name, help=about) for name, about in COMMANDS.items() if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog="`trainc --version` prints the version."
)
def trainc() -> None:
    """Checks, plans and launches LLM training described in `.train` files."""
