"""`trainc completion`: what makes a shell complete trainc's commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from .completing import register
from .group import COMPLETING

SHELLS = ("bash", "zsh", "fish")


@click.command(epilog="Example: trainc completion bash >> ~/.bashrc")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, specs, stages, params and codes.

    Write it where the shell reads it at start: ~/.bashrc, a file _trainc in zsh's fpath, ~/.config/fish/completions/trainc.fish.
    """
    register()
    found = get_completion_class(shell)
    assert found is not None, "click knows these shells"
    print(found(ctx.find_root().command, {}, "trainc", COMPLETING).source(), end="")
