"""What a shell offers when the user presses tab: specs, stages, params, codes and names of the language.

Which parameter takes what is said once, by the parameter's name, so that a new command is completed like the others. Only loaded
while a shell asks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string
from trainc.dsl import ast

Offer = Callable[[click.Context, str], Iterable[str]]


class Bash(BashComplete):
    """click's protocol with a script of our own, which knows paths: no space after a folder, quotes where a name needs them."""

    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n' type value line
    COMPREPLY=()
    while IFS= read -r line; do
        type=${line%%%%,*}
        value=${line#*,}
        case $type in
            plain) COMPREPLY+=("$value") ;;
            path) COMPREPLY+=("$value"); compopt -o filenames ;;
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
        esac
    done < <(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" %(complete_var)s=bash_complete "$1")
    case ${#COMPREPLY[@]},${COMPREPLY[0]} in
        1,*[/=]) compopt -o nospace ;;
    esac
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def format_completion(self, item: CompletionItem[str]) -> str:
        """A line of type and value; what ends in a folder or a spec is a path."""
        path = item.type == "plain" and item.value.endswith(("/", ".train"))
        return f"{'path' if path else item.type},{item.value}"


if TYPE_CHECKING:
    _ParamType = click.ParamType[str, str]
else:
    # Only newer versions of click have a generic one.
    _ParamType = click.ParamType


class _Offered(_ParamType):
    """A parameter's type while a shell asks: it takes what the parameter took, and offers what `offer` finds."""

    name = "text"

    def __init__(self, offer: Offer):
        self._offer = offer

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """The candidates that begin with what is typed."""
        return [CompletionItem(value) for value in self._offer(ctx, incomplete) if value.startswith(incomplete)]


def register() -> None:
    """Makes click use our script for bash."""
    add_completion_class(Bash)


def teach(command: click.Command) -> None:
    """Gives the parameters of a command what a shell may offer for them."""
    for parameter in command.params:
        if parameter.name in OFFERS:
            parameter.type = _Offered(OFFERS[parameter.name])
        elif parameter.name in FILES and not isinstance(parameter.type, click.Path):
            parameter.type = click.Path()


def specs(ctx: click.Context, incomplete: str) -> list[str]:
    """Specs and folders; a folder that stands alone is opened, so that no shell ends the word behind it."""
    found = _listed(incomplete)
    while len(found) == 1 and found[0].endswith("/"):
        inside = _listed(found[0])
        if not inside:
            break
        found = inside
    return found


def bundles(ctx: click.Context, incomplete: str) -> list[str]:
    """Folders."""
    return [path for path in _listed(incomplete) if path.endswith("/")]


def code_lists(ctx: click.Context, incomplete: str) -> list[str]:
    """Codes that have a page, after those that are there already."""
    from .. import pages

    before = incomplete[: incomplete.rfind(",") + 1]
    return [f"{before}{code}" for code in pages.codes()]


def revisions(ctx: click.Context, incomplete: str) -> list[str]:
    """The branches and tags of the repository here."""
    from .. import git

    names = git.answer("for-each-ref", "--format=%(refname:short)") or b""
    return ["HEAD", *git.line(names).split()]


def codes_and_specs(ctx: click.Context, incomplete: str) -> list[str]:
    """Codes that have a page, and specs."""
    from .. import pages

    codes = pages.codes() if "TRN".startswith(incomplete[:3].upper()) else []
    lower = incomplete[:3].islower() and bool(incomplete)
    return [*(code.lower() if lower else code for code in codes), *specs(ctx, incomplete)]


def names(ctx: click.Context, incomplete: str) -> list[str]:
    """Kinds, parts and variants whose names are one word."""
    from .. import reference

    return [name for name in reference.everything() if " " not in name]


def stages(ctx: click.Context, incomplete: str) -> list[str]:
    """The stages that the spec on the line declares."""
    return [item.name.text for item in _items() if isinstance(item, ast.Declaration) and item.kind.text == "stage"]


def params(ctx: click.Context, incomplete: str) -> list[str]:
    """`NAME=` for each param that the spec on the line declares."""
    return [f"{item.name.text}=" for item in _items() if isinstance(item, ast.Param)]


OFFERS: dict[str, Offer] = {
    "spec": specs,
    "paths": specs,
    "source": specs,
    "old": specs,
    "new": specs,
    "subject": codes_and_specs,
    "folder": bundles,
    "run": bundles,
    "name": names,
    "stage": stages,
    "sets": params,
    "select": code_lists,
    "ignore": code_lists,
    "changed_since": revisions,
}
# Any file at all, which shells know how to complete.
FILES = ("output",)


def _listed(incomplete: str) -> list[str]:
    """The folders and specs beside what is typed, hidden ones only where a dot is typed."""
    folder, name = os.path.split(incomplete)
    try:
        entries = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return []
    shown = [entry for entry in entries if entry.name.startswith(name) and entry.name.startswith(".") <= name.startswith(".")]
    found = [entry.name + "/" if entry.is_dir() else entry.name for entry in shown if entry.is_dir() or _is_spec(entry)]
    return [os.path.join(folder, name) for name in found]


def _is_spec(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(".train")


def _items() -> Iterator[ast.Item]:
    """What the specs on the line declare; nothing where none is there yet or one cannot be read."""
    from trainc.dsl.parser import parse
    from trainc.dsl.source import Source

    # Not from click: it gives up the line's arguments where an option at the end still lacks its value.
    for word in split_arg_string(os.environ.get("COMP_WORDS", "")):
        # `explain` names a field behind the spec.
        file = word if os.path.isfile(word) else word.rpartition(":")[0]
        if file.endswith(".train") and os.path.isfile(file):
            try:
                yield from parse(Source(file, Path(file).read_text(encoding="utf-8-sig"))).file.items
            except (OSError, ValueError):
                continue
