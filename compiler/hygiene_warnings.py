"""What is no mistake and still should not stay: names that are not used, or not meant, and suppressions of nothing."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, Fix, Related, Severity
from trainc.dsl.source import Span


def unused_suppression(code: Span, fix: Fix) -> Diagnostic:
    """TRN903: a suppression that suppresses nothing.

    Why: the spec has changed since, and the comment would silence the next mistake of that kind; 74 such comments had gathered in
    one repository (backblaze-labs/genblaze#30).
    Example:
      stage s = pretrain {
        schedule = cosine { warmup = 10 steps }  # trainc: allow TRN303 -- stopped by hand
      }
      pipeline p { stages = [s] }
    Instead:
      stage s = pretrain {
        schedule = cosine { warmup = 10 steps }
      }
      pipeline p { stages = [s] }
    """
    return Diagnostic("TRN903", Severity.WARNING, f"nothing here is found by `{code.text}`", code, help=f"{fix.message}", fix=fix)


def member_wins(name: str, span: Span, binding: Span) -> Diagnostic:
    """TRN906: a bare word is a member of its field, although a `let` or `param` has the same name.

    Why: a member wins over a binding, so the value of the binding is not used here; in Haxe a variable named `error` became the
    constructor of that name (HaxeFoundation/haxe#5877).
    Example:
      param flash: string = "sdpa"
      model m = small { attention = flash }
    Instead:
      param kernel: string = "sdpa"
      model m = small { attention = flash }
    """
    related = (Related(binding, "is not read there"),)
    message = f"`{name}` is the member of this field, not the `{name}` that the spec declares"
    return Diagnostic("TRN906", Severity.WARNING, message, span, related, help=f"rename the `{name}` that the spec declares")


def unused_value(word: str, name: str, span: Span) -> Diagnostic:
    """TRN907: nothing reads a `let` or `param` of a spec that runs.

    Why: who changes it, or sets it on the command line, changes nothing, like the decay of a learning rate that its training script
    never read (MaybeShewill-CV/lanenet-lane-detection#98).
    Example: param length: extent = 500 steps
    Instead:
      param length: extent = 500 steps
      stage s = pretrain { duration = length }
    """
    return Diagnostic("TRN907", Severity.WARNING, f"nothing reads {word} `{name}`", span, help="use it, or delete it")


def unused_import(name: str, span: Span, fix: Fix | None) -> Diagnostic:
    """TRN908: nothing reads an import.

    Why: readers look for what it is needed for, and a bundle carries the file along. ruff's F401 has the same reason
    (https://docs.astral.sh/ruff/rules/unused-import/).
    Example: import std.gpus
    Instead:
      import std.gpus
      cluster c = prod { gpu = gpus.h100_sxm }
    """
    return Diagnostic("TRN908", Severity.WARNING, f"nothing reads import `{name}`", span, help="delete it", fix=fix)


def unused_record(kind: str, name: str, span: Span) -> Diagnostic:
    """TRN909: nothing uses a record of a spec that runs.

    Why: a mesh, model or stage that was meant to be used and is not leaves the run as it was before; Neural Monkey warns of such
    sections, because that is where experiments go wrong (ufal/neuralmonkey#336).
    Example: mesh narrow = wide { dp_shard = 8, dp_replicate = 2 }
    Instead:
      mesh narrow = wide { dp_shard = 8, dp_replicate = 2 }
      stage s = pretrain { mesh = narrow }
      pipeline p { stages = [s] }
    """
    return Diagnostic("TRN909", Severity.WARNING, f"nothing uses {kind} `{name}`", span, help="use it, or delete it")
