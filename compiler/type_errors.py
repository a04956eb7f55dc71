"""What can be wrong with values: another type, another dimension, out of bounds."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.dsl.diagnostics import Diagnostic, Fix, Related, error
from trainc.dsl.source import Span


def mismatch(wanted: str, found: str, span: Span, fix: Fix | None = None, help: str | None = None) -> Diagnostic:
    """TRN120: a value of another type than the field takes.

    Why: units and kinds are what catches a wrong number before a GPU does.
    Example: `cluster c { nodes = "2" }`
    Instead: `cluster c { nodes = 2 }`
    """
    return error("TRN120", f"expected {wanted}, found {found}", span, fix=fix, help=help)


def unknown_unit(unit: str, span: Span) -> Diagnostic:
    """TRN121: a number has a unit that does not exist.

    Why: the number means nothing without it.
    Example: `memory = 80 Gib`
    Instead: `memory = 80 GiB`
    """
    return error("TRN121", f"no unit `{unit}`", span)


def dimensions(operator: str, left: tuple[str, str, Span], right: tuple[str, str, Span]) -> Diagnostic:
    """TRN122: an operator joins two dimensions that do not go together.

    Why: adding bytes to steps has no meaning.
    Example: `let n = 80 GB + 500 steps`
    Instead: join values of one dimension.
    """
    places = (Related(span, f"{word} `{shown}`" if shown not in word else word) for word, shown, span in (left, right))
    return error("TRN122", f"`{operator}` cannot join {left[0]} and {right[0]}", left[2].to(right[2]), *places)


def not_whole(value: str, span: Span) -> Diagnostic:
    """TRN123: a count has a fraction.

    Why: there are no half layers, ranks or samples.
    Example: `let n = 7 / 2` used as `nodes = n`
    Instead: use `//`, `ceil` or `floor`.
    """
    return error("TRN123", f"{value} is not a whole number", span, help="use `//`, `ceil(...)` or `floor(...)`")


def out_of_bounds(value: str, bound: str, span: Span) -> Diagnostic:
    """TRN124: a value lies outside what its field takes.

    Why: the framework would refuse it on the cluster, or compute nonsense.
    Example: `mesh m { tp = 0 }`
    Instead: `mesh m { tp = 1 }`
    """
    return error("TRN124", f"{value} is out of range: it must be {bound}", span)


def division_by_zero(span: Span) -> Diagnostic:
    """TRN125: a division by zero.

    Why: it has no value.
    Example: `let n = 8 / 0`
    Instead: divide by something else.
    """
    return error("TRN125", "division by zero", span)


def wrong_arguments(function: str, wanted: str, found: str, span: Span) -> Diagnostic:
    """TRN126: a function got arguments that it does not take.

    Why: it has no value for them.
    Example: `let n = gcd(12)`
    Instead: `let n = gcd(12, 8)`
    """
    return error("TRN126", f"`{function}` takes {wanted}, not {found}", span)


def left_out(name: str, span: Span) -> Diagnostic:
    """TRN127: an expression reads a field that is left out and has no default.

    Why: what is derived is known only after planning, where `assert` can read it.
    Example: `let a = sft.batch.accumulation` where the stage leaves it to be derived
    Instead: set the field, or read it in an `assert`.
    """
    return error("TRN127", f"`{name}` is left out, so it has no value here", span, help="set it, or read it in an `assert`")


def bad_index(position: str, length: int, span: Span) -> Diagnostic:
    """TRN128: a list has no such position.

    Why: it has no value.
    Example: `let b = [1, 2][2]`
    Instead: positions begin at 0.
    """
    return error("TRN128", f"no position {position} in a list of {length}", span, help="positions begin at 0")


def list_length(wanted: int, found: int, span: Span) -> Diagnostic:
    """TRN129: a list has another length than its field takes.

    Why: each position has a meaning.
    Example: `optimizer = adamw { lr = 1e-3, betas = [0.9] }`
    Instead: `betas = [0.9, 0.95]`
    """
    return error("TRN129", f"expected {wanted} items, found {found}", span)


def assertion_failed(condition: str, reason: str | None, values: str, span: Span, places: Sequence[Related] = ()) -> Diagnostic:
    """TRN130: an `assert` does not hold.

    Why: the spec says what its author relies on; this run would break it.
    Example: `assert sft.batch.accumulation == 32` where it is 16
    Instead: change the spec until it holds, or the assertion if it is no longer meant.
    """
    message = f"{reason}: `{condition}` is false" if reason else f"`{condition}` is false"
    return error("TRN130", message, span, *places, help=f"here {values}" if values else None)


def too_large(span: Span) -> Diagnostic:
    """TRN131: a number is too large to compute with.

    Why: it has no exact value here.
    Example: `let n = 1e999`
    Instead: write a number below 1e300.
    """
    return error("TRN131", "the number is too large", span)


def too_deep(limit: int, span: Span | None) -> Diagnostic:
    """TRN132: names stand too many levels behind one another.

    Why: evaluation must always end, and soon.
    Example: a chain of fifty `let`, each defined by the one before.
    Instead: define values closer to where they come from.
    """
    return error("TRN132", f"more than {limit} names stand one behind the other", span, help="shorten the chain")


def too_long(what: str, limit: int, span: Span) -> Diagnostic:
    """TRN137: a list or a string is longer than a spec can need.

    Why: doubled a few dozen times, a value would fill the memory of the machine that checks it.
    Example: forty `let`, each the one before added to itself.
    Instead: write the items that are meant, or read them from a file as data.
    """
    return error("TRN137", f"the {what} is longer than {limit:,}", span, help="say what is meant with fewer items")


def too_many_steps(limit: int, span: Span) -> Diagnostic:
    """TRN138: evaluating the spec takes too long.

    Why: an editor and CI wait for every check, so evaluation ends after a fixed number of steps, the same on every machine.
    Example: a spec with millions of expressions.
    Instead: split it into several specs.
    """
    return error("TRN138", f"the spec takes more than {limit:,} steps to evaluate", span, help="split it into several specs")


def only_after_planning(name: str, span: Span) -> Diagnostic:
    """TRN133: an expression reads a plan where there is none yet.

    Why: the plan follows from the spec, so no field of the spec can follow from the plan.
    Example: `stage b { duration = a.plan.total_steps * 1 steps }`
    Instead: read plans in an `assert` only.
    """
    return error("TRN133", f"`{name}` is known only after planning", span, help="only an `assert` can read it")


def needs_planner(name: str, span: Span) -> Diagnostic:
    """TRN136: an expression asks for what only the full planner can tell.

    Why: `auto` and the figures of time and communication are part of the language; this version plans batches, lengths and memory.
    Example: `mesh m { cluster = prod, dp_shard = auto }`
    Instead: `mesh m { cluster = prod, dp_shard = 8 }`
    """
    return error(
        "TRN136", f"`{name}` is not built in this version of trainc", span, help="give the value yourself, or leave it out"
    )


def stage_not_declared(name: str, span: Span | None) -> Diagnostic:
    """TRN134: a pipeline lists a stage that the spec does not declare itself.

    Why: a stage's name is its folder in the bundle and in the run, so each must be declared once, in the spec.
    Example: `pipeline p { stages = [lib.sft] }` or `pipeline p { stages = [sft { seed = 1 }] }`
    Instead: `stage sft = lib.sft` and `pipeline p { stages = [sft] }`
    """
    help = f"declare it: stage {name} = ... {{ ... }}"
    return error("TRN134", f"`{name}` is not a stage that this spec declares", span, help=help)


def records_compared(span: Span) -> Diagnostic:
    """TRN135: whole records are compared.

    Why: two records may agree in what matters and differ in a default; which fields are meant has to be said.
    Example: `assert a.mesh == b.mesh`
    Instead: `assert a.mesh.tp == b.mesh.tp`
    """
    return error("TRN135", "records cannot be compared", span, help="compare a field of each")
