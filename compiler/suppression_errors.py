"""What can be wrong with a comment that suppresses findings."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, Edit, Fix, error
from trainc.dsl.source import Span
from trainc.dsl.suggest import closest

FORM = "`# trainc: allow TRN303 -- reason`"


def without_reason(comment: Span, mark: Span | None) -> Diagnostic:
    """TRN901: a finding is suppressed without a reason.

    Why: who reads the spec later cannot tell a decision from a way to silence the linter; the comment has no effect. A good reason
    and laziness look alike (eslint/eslint#1495).
    Example:
      stage s = pretrain {
        schedule = cosine { warmup = 2000 steps }  # trainc: allow TRN303
      }
      pipeline p { stages = [s] }
    Instead:
      stage s = pretrain {
        schedule = cosine { warmup = 2000 steps }  # trainc: allow TRN303 -- stopped by hand at step 500
      }
      pipeline p { stages = [s] }
    """
    if mark is None:
        return error("TRN901", "a suppression without a reason", comment, help="say why after the codes: `-- reason`")
    # `mark` is what stands in the place of `--`, perhaps nothing.
    fix = Fix("put `--` before the reason", (Edit(mark, "-- "),))
    return error("TRN901", "a suppression without `--` before its reason", comment, help="put `--` before the reason", fix=fix)


def unknown_code(code: Span, meant: str | None) -> Diagnostic:
    """TRN902: a suppression names a code that does not exist.

    Why: it suppresses nothing, and looks as if it did; to flake8 a name in place of a code silences everything
    (astral-sh/ruff#3339).
    Example:
      stage s = pretrain {
        # The warmup is longer than the run, which TRN303 finds.
        schedule = cosine { warmup = 2000 steps }  # trainc: allow TRN330 -- stopped by hand
      }
      pipeline p { stages = [s] }
    Instead:
      stage s = pretrain {
        schedule = cosine { warmup = 2000 steps }  # trainc: allow TRN303 -- stopped by hand
      }
      pipeline p { stages = [s] }
    """
    fix = Fix(f"write `{meant}`", (Edit(code, meant),)) if meant and meant.casefold() == code.text.casefold() else None
    help = f"did you mean `{meant}`?" if meant else "codes look like TRN303; `trainc check` shows them in brackets"
    return error("TRN902", f"no code `{code.text}`", code, help=help, fix=fix)


def not_suppressible(code: Span, reason: str) -> Diagnostic:
    """TRN904: a suppression names a finding that cannot be suppressed.

    Why: only warnings, and errors that are estimates or judgements, can be answered for; a run fails on any other, whatever a
    comment says. The project's settings can forbid more: `no-suppress`. Ruff suppresses no error that is sure to come
    (astral-sh/ruff#21991).
    Example: mesh m = wide { dp_shard = 3 }  # trainc: allow TRN201 -- works for me
    Instead: mesh m = wide { dp_shard = 8, tp = 2 }
    """
    return error("TRN904", f"`{code.text}` cannot be suppressed: {reason}", code, help="mend what it finds, and delete the comment")


def malformed(place: Span, head: Span, word: str, message: str) -> Diagnostic:
    """TRN905: a comment begins like an instruction to trainc and is none.

    Why: a misspelt suppression has no effect, and nobody would see why; in Spack a misspelt one had more effect than was meant: it
    silenced everything (spack/spack#3651).
    Example:
      stage s = pretrain {
        schedule = cosine { warmup = 2000 steps }  # trainc: alow TRN303 -- stopped by hand
      }
      pipeline p { stages = [s] }
    Instead:
      stage s = pretrain {
        schedule = cosine { warmup = 2000 steps }  # trainc: allow TRN303 -- stopped by hand
      }
      pipeline p { stages = [s] }
    """
    meant = closest(word, ["allow"])
    if meant is None:
        return error("TRN905", message, place, help=f"write {FORM}")
    fix = Fix("write `# trainc: allow`", (Edit(head, "# trainc: allow"),))
    return error("TRN905", message, place, help=f"did you mean {FORM}?", fix=fix)
