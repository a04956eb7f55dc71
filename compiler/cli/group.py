"""The group of commands; each is imported only when it is asked for."""

from __future__ import annotations

import importlib

import click

COMMANDS = {
    "init": "Write a first spec that runs on this machine.",
    "check": "Find every mistake that can be found before a GPU is taken.",
    "explain": "Say what a code means, why it matters and what to do.",
    "docs": "Describe a kind or variant of the language, field by field.",
    "show": "Print the resolved spec, every default visible.",
    "plan": "Say what will happen: ranks, batches, steps, parameters, memory.",
    "graph": "Draw the stages with what flows into them.",
    "compile": "Write a bundle that launches anywhere.",
    "verify": "Compare a bundle with what was compiled.",
    "run": "Compile if needed, launch on this machine, follow progress.",
    "report": "Show what a run did.",
    "lsp": "Serve editors: findings as you type, hover, completion, rename.",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f".{cmd_name}", __package__).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog="`trainc --version` prints the version."
)
def trainc() -> None:
    """Checks, plans and launches LLM training described in `.train` files."""
