"""What can be wrong with reading a spec and its imports."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.dsl.diagnostics import Diagnostic, Edit, Fix, error
from trainc.dsl.source import Span
from trainc.dsl.suggest import certain, closest


def unreadable(path: str, reason: str) -> Diagnostic:
    """TRN150: the spec cannot be read.

    Why: nothing can be said about a file that does not open.
    Example: `trainc check missing.train`
    Instead: name a file that exists and that you may read.
    """
    return error("TRN150", f"cannot read `{path}`: {reason.lower()}", None, help="name a readable `.train` file")


def not_utf8(path: str, offset: int) -> Diagnostic:
    """TRN151: the file is not UTF-8 text.

    Why: another encoding would change names and strings silently.
    Example: a spec saved as UTF-16 by an editor.
    Instead: save it as UTF-8.
    """
    return error("TRN151", f"`{path}` is not UTF-8: byte {offset} cannot be decoded", None, help="save the file as UTF-8")


def too_large(path: str, limit: int) -> Diagnostic:
    """TRN156: a source is larger than a spec can need.

    Why: what is this large is a file of another kind, and checking it would hold up an editor and CI for minutes.
    Example: `trainc check train.log`
    Instead: name the spec; data belongs into files that a `data` record names.
    """
    return error("TRN156", f"`{path}` has more than {limit // 1024**2} MiB", None, help="name a spec, or split it")


def too_deep(limit: int, span: Span) -> Diagnostic:
    """TRN157: imports stand too many levels behind one another.

    Why: reading must end, on every machine alike.
    Example: forty-one files, each of which imports the next.
    Instead: import what is needed directly.
    """
    return error("TRN157", f"imports stand more than {limit} levels deep", span, help="import what is needed directly")


def cannot_import(target: str, reason: str, span: Span) -> Diagnostic:
    """TRN152: an imported file cannot be read.

    Why: every name that it would bind is missing.
    Example: `import "./absent.train"`
    Instead: correct the path; it is relative to the file that imports.
    """
    return error("TRN152", f'cannot import "{target}": {reason}', span, help="the path is relative to this file")


def outside(target: str, span: Span) -> Diagnostic:
    """TRN153: an import lies outside the spec's folder.

    Why: a bundle holds its sources, and a spec must compile the same on every machine.
    Example: `import "../../secrets.train"`
    Instead: move the file below the folder of the spec that you compile.
    """
    return error("TRN153", f'"{target}" lies outside the spec\'s folder', span, help="move it below the spec's folder")


def cycle(labels: Sequence[str], span: Span) -> Diagnostic:
    """TRN154: files import each other in a circle.

    Why: no order exists in which they could be evaluated.
    Example: `a.train` imports `b.train`, which imports `a.train`.
    Instead: move what both need into a third file.
    """
    path = " -> ".join(labels)
    return error("TRN154", f"imports form a cycle: {path}", span, help="move what both need into a third file")


def unknown_module(target: str, modules: Sequence[str], span: Span) -> Diagnostic:
    """TRN155: the standard library has no such module.

    Why: every name that it would bind is missing.
    Example: `import std.gpu`
    Instead: `import std.gpus`
    """
    suggestion, meant = closest(target, modules), certain(target, modules)
    fix = Fix(f"write `{meant}`", (Edit(span, meant),)) if meant is not None and span.text == target else None
    help = f"did you mean `{suggestion}`?" if suggestion else 'a file is imported by path: import "./file.train"'
    return error("TRN155", f"no module `{target}`", span, help=help, fix=fix)
