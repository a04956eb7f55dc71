"""What can be wrong with a project's settings, with codes named on the command line, and with a baseline."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.dsl.diagnostics import Diagnostic, Edit, Fix, error
from trainc.dsl.source import Span
from trainc.dsl.suggest import closest


def unreadable(path: str, reason: str, place: Span | None = None) -> Diagnostic:
    """TRN911: a project's settings cannot be read.

    Why: the findings would be judged by other settings than the project's; a linter that went on with its defaults had the message
    scroll away (astral-sh/ruff#262).
    Example:
      $ cat trainc.toml
      select = [
      $ trainc check spec.train
    Instead:
      $ cat trainc.toml
      select = ["TRN3"]
      $ trainc check spec.train
    """
    return error("TRN911", f"cannot read the settings in `{path}`: {reason}", place, help="settings are TOML, in UTF-8")


def unknown_key(key: str, keys: Iterable[str], place: Span | None) -> Diagnostic:
    """TRN912: a setting that does not exist.

    Why: it would be ignored, and look as if it worked; with `ignore` in place of `disable` a linter did not run, and reported
    nothing (klen/pylama#166).
    Example:
      $ cat trainc.toml
      exlude = ["old/**"]
      $ trainc check spec.train
    Instead:
      $ cat trainc.toml
      exclude = ["old/**"]
      $ trainc check spec.train
    """
    keys = sorted(keys)
    meant = closest(key, keys)
    fix = Fix(f"write `{meant}`", (Edit(place, meant),)) if meant and place is not None and place.text == key else None
    help = f"did you mean `{meant}`?" if meant else f"there are {', '.join(f'`{name}`' for name in keys)}"
    return error("TRN912", f"no setting `{key}`", place, help=help, fix=fix)


def wrong_value(key: str, wanted: str, place: Span | None, meant: str | None = None) -> Diagnostic:
    """TRN913: a setting has a value that it does not take.

    Why: nobody can say what it was to do; for a value in quotes a linter went silent (microsoft/vscode-pylint#297).
    Example:
      $ cat trainc.toml
      strict = "yes"
      $ trainc check spec.train
    Instead:
      $ cat trainc.toml
      strict = true
      $ trainc check spec.train
    """
    return error("TRN913", f"`{key}` takes {wanted}", place, help=f"did you mean `{meant}`?" if meant else None)


def unknown_code(code: str, meant: str | None, place: Span | None = None) -> Diagnostic:
    """TRN914: no finding has a code that settings or the command line name.

    Why: what it was to show or to hide would not be; for one unknown code mypy ignored the whole list and reported success
    (python/mypy#17648).
    Example: $ trainc check --select TRN999 spec.train
    Instead: $ trainc check --select TRN303 spec.train
    """
    help = f"did you mean `{meant}`?" if meant else "write a code such as TRN303, or how some begin, as in TRN3"
    return error("TRN914", f"no code is or begins with `{code}`", place, help=help)


def must_stay(code: str, what: str, why: str | None, place: Span | None = None) -> Diagnostic:
    """TRN915: a code is to be ignored or lowered on which a run fails.

    Why: the linter would be silent, and the job would fail when it has its GPUs; a deployment that passed over invalid manifests
    said that it was complete (GoogleContainerTools/skaffold#1738).
    Example: $ trainc check --ignore TRN201 spec.train
    Instead: $ trainc check --ignore TRN303 spec.train
    """
    reason = f": {why}" if why else ": a run fails on everything that it finds"
    return error("TRN915", f"`{code}` cannot be {what}{reason}", place, help="mend what it finds")


def baseline_unusable(path: str, reason: str, help: str = "") -> Diagnostic:
    """TRN916: a baseline cannot be read or written.

    Why: old findings would come back, or new ones be hidden; with wrong paths in a baseline all old errors were shown again
    (phpstan/phpstan#2813).
    Example: $ trainc check --baseline old.json spec.train
    Instead:
      $ trainc check --write-baseline old.json spec.train
      $ trainc check --baseline old.json spec.train
    """
    help = help or f"trainc check --write-baseline {path} makes one"
    return error("TRN916", f"cannot use the baseline `{path}`: {reason}", None, help=help)
