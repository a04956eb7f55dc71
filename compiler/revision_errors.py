"""What can be wrong with a spec that is read from a git revision."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, error


def no_repository(subject: str, reason: str) -> Diagnostic:
    """TRN862: git cannot be asked for a revision.

    Why: a subject with a colon names a file of a git revision; without git, or outside a repository, there is none. An editor
    crashed where git was not installed (frescobaldi/frescobaldi#1005).
    Example: $ trainc diff HEAD:spec.train spec.train
    Instead:
      $ git init -q
      $ git add .
      $ git commit -qm first
      $ trainc diff HEAD:spec.train spec.train
    """
    return error(
        "TRN862", f"cannot read `{subject}` from git: {reason}", None, help="name a file, a bundle, or REV:FILE inside a clone"
    )


def no_revision(revision: str) -> Diagnostic:
    """TRN863: git knows no such revision.

    Why: a comparison with another revision than the one meant would say nothing true; on CI a shallow clone lacks the branch that
    is compared with (microsoft/playwright#32188).
    Example:
      $ git init -q -b main
      $ git add .
      $ git commit -qm first
      $ trainc diff mian:spec.train spec.train
    Instead:
      $ git init -q -b main
      $ git add .
      $ git commit -qm first
      $ trainc diff main:spec.train spec.train
    """
    return error("TRN863", f"git knows no revision `{revision}` here", None, help="`git log` and `git branch` show which there are")


def not_in_revision(revision: str, file: str, near: str | None) -> Diagnostic:
    """TRN864: a revision holds no such file.

    Why: a path after the colon begins at the top of the clone, as in git; `./` makes it begin here. A plugin that gave the path
    from its own folder did not find the file (dinhhuy258/git.nvim#5).
    Example:
      $ git init -q
      $ mkdir specs
      $ mv spec.train specs
      $ git add .
      $ git commit -qm first
      $ cd specs
      $ trainc diff HEAD:spec.train spec.train
    Instead:
      $ git init -q
      $ mkdir specs
      $ mv spec.train specs
      $ git add .
      $ git commit -qm first
      $ cd specs
      $ trainc diff HEAD:./spec.train spec.train
    """
    help = f"did you mean `{revision}:{near}`?" if near else f"`git ls-tree -r --name-only {revision}` shows which files it holds"
    return error("TRN864", f"`{revision or 'the index'}` holds no file `{file}`", None, help=help)
