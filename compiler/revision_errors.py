"""What can be wrong with a spec that is read from a git revision."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, error


def no_repository(subject: str, reason: str) -> Diagnostic:
    """TRN862: git cannot be asked for a revision.

    Why: a subject with a colon names a file of a git revision; without git, or outside a repository, there is none.
    Example: `trainc diff HEAD:spec.train spec.train` in a folder that is no clone.
    Instead: go to the clone, or name two files.
    """
    return error(
        "TRN862", f"cannot read `{subject}` from git: {reason}", None, help="name a file, a bundle, or REV:FILE inside a clone"
    )


def no_revision(revision: str) -> Diagnostic:
    """TRN863: git knows no such revision.

    Why: a comparison with another revision than the one meant would say nothing true.
    Example: `trainc diff mian:spec.train spec.train`
    Instead: `trainc diff main:spec.train spec.train`
    """
    return error("TRN863", f"git knows no revision `{revision}` here", None, help="`git log` and `git branch` show which there are")


def not_in_revision(revision: str, file: str, near: str | None) -> Diagnostic:
    """TRN864: a revision holds no such file.

    Why: a path after the colon begins at the top of the clone, as in git; `./` makes it begin here.
    Example: `trainc diff HEAD:spec.train spec.train` below `specs/`
    Instead: `trainc diff HEAD:./spec.train spec.train`
    """
    help = f"did you mean `{revision}:{near}`?" if near else f"`git ls-tree -r --name-only {revision}` shows which files it holds"
    return error("TRN864", f"`{revision or 'the index'}` holds no file `{file}`", None, help=help)
