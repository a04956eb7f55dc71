"""What can be wrong with reading a spec and its imports."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.dsl.diagnostics import Diagnostic, Edit, Fix, error
from trainc.dsl.source import Span
from trainc.dsl.suggest import certain, closest


def unreadable(path: str, reason: str) -> Diagnostic:
    """TRN150: the spec cannot be read.

    Why: nothing can be said about a file that does not open; a program that passed over such an error ran without its settings
    (application-research/estuary#184).
    Example: $ trainc check missing.train
    Instead: $ trainc check spec.train
    """
    return error("TRN150", f"cannot read `{path}`: {reason.lower()}", None, help="name a readable `.train` file")


def not_utf8(path: str, offset: int) -> Diagnostic:
    r"""TRN151: the file is not UTF-8 text.

    Why: another encoding changes names and strings silently; a whole section of a config was lost so (ScrollPrize/villa#1524).
    Example:
      $ printf '## caf\351\n' > latin1.train
      $ trainc check latin1.train
    Instead:
      $ printf '## caf\303\251\n' > utf8.train
      $ trainc check utf8.train
    """
    return error("TRN151", f"`{path}` is not UTF-8: byte {offset} cannot be decoded", None, help="save the file as UTF-8")


def too_large(path: str, limit: int) -> Diagnostic:
    """TRN156: a source is larger than a spec can need.

    Why: what is this large is a file of another kind, and checking it would hold up an editor and CI for minutes, as it did with a
    linter (dense-analysis/ale#577).
    Example:
      $ head -c 9000000 /dev/zero > train.log
      $ trainc check train.log
    Instead: $ trainc check spec.train
    """
    return error("TRN156", f"`{path}` has more than {limit // 1024**2} MiB", None, help="name a spec, or split it")


def too_deep(limit: int, span: Span) -> Diagnostic:
    """TRN157: imports stand too many levels behind one another.

    Why: reading must end, on every machine alike; the depth that the stack allows differs, and Nix crashed on some of them only
    (NixOS/nix#9627).
    Example:
      $ for n in $(seq 50); do echo 'import "./m'$((n + 1))'.train"' > m$n.train; done
      $ touch m51.train
      $ trainc check m1.train
    Instead:
      $ for n in $(seq 30); do echo 'import "./m'$((n + 1))'.train"' > m$n.train; done
      $ touch m31.train
      $ trainc check m1.train
    """
    return error("TRN157", f"imports stand more than {limit} levels deep", span, help="import what is needed directly")


def cannot_import(target: str, reason: str, span: Span) -> Diagnostic:
    """TRN152: an imported file cannot be read.

    Why: every name that it would bind is missing; Play ignores a missing include, and a limit that stood in it is gone unnoticed
    (playframework/playframework#4815).
    Example:
      $ cat run.train
      import "./absent.train"
      let nodes = absent.nodes
      $ trainc check run.train
    Instead:
      $ cat shared.train
      let nodes = 2
      $ cat run.train
      import "./shared.train"
      let nodes = shared.nodes
      $ trainc check run.train
    """
    return error("TRN152", f'cannot import "{target}": {reason}', span, help="the path is relative to this file")


def outside(target: str, span: Span) -> Diagnostic:
    """TRN153: an import lies outside the spec's folder.

    Why: a bundle holds its sources, and a spec must compile the same on every machine; Argo CD let a chart read files from outside,
    and credentials in them (CVE-2022-24348, golang/vulndb#304).
    Example:
      $ cat run.train
      import "../shared.train"
      let nodes = shared.nodes
      $ trainc check run.train
    Instead:
      $ cat shared.train
      let nodes = 2
      $ cat run.train
      import "./shared.train"
      let nodes = shared.nodes
      $ trainc check run.train
    """
    return error("TRN153", f'"{target}" lies outside the spec\'s folder', span, help="move it below the spec's folder")


def cycle(labels: Sequence[str], span: Span) -> Diagnostic:
    """TRN154: files import each other in a circle.

    Why: no order exists in which they could be evaluated; a reader that follows them all the same overflows its stack
    (apache/commons-configuration#35).
    Example:
      $ cat a.train
      import "./b.train"
      let n = b.n
      $ cat b.train
      import "./a.train"
      let n = a.n
      $ trainc check a.train
    Instead:
      $ cat a.train
      import "./b.train"
      let n = b.n
      $ cat b.train
      let n = 1
      $ trainc check a.train
    """
    path = " -> ".join(labels)
    return error("TRN154", f"imports form a cycle: {path}", span, help="move what both need into a third file")


def unknown_module(target: str, modules: Sequence[str], span: Span) -> Diagnostic:
    """TRN155: the standard library has no such module.

    Why: every name that it would bind is missing; a misspelt import that was called undeclared sent its author to look elsewhere
    (rust-lang/rust#76208).
    Example:
      import std.gpu
      cluster c = prod { gpu = gpu.h100_sxm }
    Instead:
      import std.gpus
      cluster c = prod { gpu = gpus.h100_sxm }
    """
    suggestion, meant = closest(target, modules), certain(target, modules)
    fix = Fix(f"write `{meant}`", (Edit(span, meant),)) if meant is not None and span.text == target else None
    help = f"did you mean `{suggestion}`?" if suggestion else 'a file is imported by path: import "./file.train"'
    return error("TRN155", f"no module `{target}`", span, help=help, fix=fix)
