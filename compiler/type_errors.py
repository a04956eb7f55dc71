"""What can be wrong with values: another type, another dimension, out of bounds."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.dsl.diagnostics import Diagnostic, Fix, Related, error
from trainc.dsl.source import Span


def mismatch(wanted: str, found: str, span: Span, fix: Fix | None = None, help: str | None = None) -> Diagnostic:
    """TRN120: a value of another type than the field takes.

    Why: units and kinds are what catches a wrong value before a GPU does; elsewhere a rate of `1e-4` became a string, and a flag
    set to `False` stayed on (huggingface/trl#1450, ACEsuit/mace#429).
    Example: cluster c = prod { nodes = "2" }
    Instead: cluster c = prod { nodes = 2 }
    """
    return error("TRN120", f"expected {wanted}, found {found}", span, fix=fix, help=help)


def dimensions(operator: str, left: tuple[str, str, Span], right: tuple[str, str, Span]) -> Diagnostic:
    """TRN122: an operator joins two dimensions that do not go together.

    Why: adding bytes to steps has no meaning; a scheduler that was given its length in steps and moved once an epoch may stay in
    its warmup for the whole run (galilai-group/stable-worldmodel#280).
    Example: let n = 80 GB + 500 steps
    Instead: let n = 80 GB + 500 MB
    """
    places = (Related(span, f"{word} `{shown}`" if shown not in word else word) for word, shown, span in (left, right))
    return error("TRN122", f"`{operator}` cannot join {left[0]} and {right[0]}", left[2].to(right[2]), *places)


def not_whole(value: str, span: Span) -> Diagnostic:
    """TRN123: a count has a fraction.

    Why: there are no half layers, ranks or samples; a trainer that was given one stopped in the middle of a run, after its
    checkpoint (d8ahazard/sd_dreambooth_extension#832).
    Example:
      let n = 7 / 2
      cluster c = prod { nodes = n }
    Instead:
      let n = 7 // 2
      cluster c = prod { nodes = n }
    """
    return error("TRN123", f"{value} is not a whole number", span, help="use `//`, `ceil(...)` or `floor(...)`")


def out_of_bounds(value: str, bound: str, span: Span) -> Diagnostic:
    """TRN124: a value lies outside what its field takes.

    Why: the framework would refuse it on the cluster, or compute nonsense; a dropout with a default of 6 was found out when the
    trained model was to be evaluated (nlpyang/hiersumm#17).
    Example: mesh m = wide { tp = 0 }
    Instead: mesh m = wide { tp = 1 }
    """
    return error("TRN124", f"{value} is out of range: it must be {bound}", span)


def division_by_zero(span: Span) -> Diagnostic:
    """TRN125: a division by zero.

    Why: it has no value; transformers divided by the steps of an epoch when there were fewer batches than one step takes
    (huggingface/transformers#7125).
    Example: let n = 8 / 0
    Instead: let n = 8 / 2
    """
    return error("TRN125", "division by zero", span)


def wrong_arguments(function: str, wanted: str, found: str, span: Span) -> Diagnostic:
    """TRN126: a function got arguments that it does not take.

    Why: it has no value for them; Icinga ignored what was too much, and a call meant less than it said (Icinga/icinga2#2760).
    Example: let n = len(3)
    Instead: let n = len([1, 2, 3])
    """
    return error("TRN126", f"`{function}` takes {wanted}, not {found}", span)


def left_out(name: str, span: Span) -> Diagnostic:
    """TRN127: an expression reads a field that is left out and has no default.

    Why: what is derived is known only after planning, where `assert` can read it; to count by a value that is known only after the
    work has begun is refused by Terraform too (hashicorp/terraform#26078).
    Example: let n = pretrain.batch.accumulation
    Instead: assert pretrain.batch.accumulation == 2
    """
    return error("TRN127", f"`{name}` is left out, so it has no value here", span, help="set it, or read it in an `assert`")


def bad_index(position: str, length: int, span: Span) -> Diagnostic:
    """TRN128: a list has no such position.

    Why: it has no value; a language that is lenient gave the first item for the position -1 (probcomp/Venturecxx#510).
    Example: let b = [1, 2][2]
    Instead: let b = [1, 2][1]
    """
    return error("TRN128", f"no position {position} in a list of {length}", span, help="positions begin at 0")


def list_length(wanted: int, found: int, span: Span) -> Diagnostic:
    """TRN129: a list has another length than its field takes.

    Why: each position has a meaning; where lists are paired, the longer one is cut without a word, which Python calls hard to
    diagnose (PEP 618).
    Example: stage s = pretrain { optimizer = adamw { lr = 3e-4, betas = [0.9] } }
    Instead: stage s = pretrain { optimizer = adamw { lr = 3e-4, betas = [0.9, 0.95] } }
    """
    return error("TRN129", f"expected {wanted} items, found {found}", span)


def assertion_failed(condition: str, reason: str | None, values: str, span: Span, places: Sequence[Related] = ()) -> Diagnostic:
    """TRN130: an `assert` does not hold.

    Why: the spec says what its author relies on; this run would break it. Terraform got its preconditions for the same purpose
    (hashicorp/terraform#30401).
    Example: assert pretrain.batch.accumulation == 4
    Instead: assert pretrain.batch.accumulation == 2
    """
    message = f"{reason}: `{condition}` is false" if reason else f"`{condition}` is false"
    return error("TRN130", message, span, *places, help=f"here {values}" if values else None)


def too_large(span: Span) -> Diagnostic:
    """TRN131: a number is too large to compute with.

    Why: a number that overflows becomes infinity, and everything that is computed from it is lost; to a YAML reader the commit
    `61e9540` is that number (eemeli/yaml#657).
    Example: let n = 1e999
    Instead: let n = 1e99
    """
    return error("TRN131", "the number is too large", span, help="numbers end at 1e300")


def too_deep(limit: int, span: Span | None) -> Diagnostic:
    """TRN132: names stand too many levels behind one another.

    Why: evaluation must always end, and soon; a chain that was finite all the same ended an evaluation of Nix
    (nix-community/authentik-nix#31).
    Example:
      $ for n in $(seq 50); do echo "let a$n = a$((n + 1))"; done > chain.train
      $ echo "let a51 = 1" >> chain.train
      $ trainc check chain.train
    Instead:
      $ for n in $(seq 30); do echo "let a$n = a$((n + 1))"; done > chain.train
      $ echo "let a31 = 1" >> chain.train
      $ trainc check chain.train
    """
    return error("TRN132", f"more than {limit} names stand one behind the other", span, help="shorten the chain")


def too_long(what: str, limit: int, span: Span) -> Diagnostic:
    """TRN137: a list or a string is longer than a spec can need.

    Why: doubled a few dozen times, a value would fill the memory of the machine that checks it; a short YAML text that does so
    overloaded the API server of Kubernetes (CVE-2019-11253, kubernetes/kubernetes#83253).
    Example:
      $ for n in $(seq 40); do echo "let a$((n + 1)) = a$n + a$n"; done > doubled.train
      $ echo "let a1 = [1]" >> doubled.train
      $ trainc check doubled.train
    Instead:
      $ for n in $(seq 10); do echo "let a$((n + 1)) = a$n + a$n"; done > doubled.train
      $ echo "let a1 = [1]" >> doubled.train
      $ trainc check doubled.train
    """
    return error("TRN137", f"the {what} is longer than {limit:,}", span, help="say what is meant with fewer items")


def too_many_steps(limit: int, span: Span) -> Diagnostic:
    """TRN138: evaluating the spec takes too long.

    Why: an editor and CI wait for every check, so evaluation ends after a fixed number of steps, the same on every machine; the API
    server of Kubernetes ends rules that compute too much (kubernetes/kubernetes#115747).
    Example:
      $ for n in $(seq 20000); do echo "let a$n = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"; done > large.train
      $ trainc check large.train
    Instead:
      $ for n in $(seq 1000); do echo "let a$n = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"; done > small.train
      $ trainc check small.train
    """
    return error("TRN138", f"the spec takes more than {limit:,} steps to evaluate", span, help="split it into several specs")


def only_after_planning(name: str, span: Span) -> Diagnostic:
    """TRN133: an expression reads a plan where there is none yet.

    Why: the plan follows from the spec, so no field of the spec can follow from the plan; Terraform refuses a loop over what is
    known only after it was applied (hashicorp/terraform#28925).
    Example: stage s = pretrain { duration = pretrain.plan.total_steps * 1 steps }
    Instead: assert pretrain.plan.total_steps == 1000 steps
    """
    return error("TRN133", f"`{name}` is known only after planning", span, help="only an `assert` can read it")


def needs_planner(name: str, span: Span) -> Diagnostic:
    """TRN136: an expression asks for what only the full planner can tell.

    Why: `auto` and the figures of time and communication are part of the language; this version plans batches, lengths and memory.
    An `auto` that nobody resolved was compared with 0, and models could not be loaded (Roblox/FAI-RL#70).
    Example: mesh m = wide { dp_shard = auto }
    Instead: mesh m = wide { dp_shard = 16 }
    """
    return error(
        "TRN136", f"`{name}` is not built in this version of trainc", span, help="give the value yourself, or leave it out"
    )


def known_from_data(name: str, span: Span) -> Diagnostic:
    """TRN331: an assertion reads how many steps a run has that is measured in epochs.

    Why: an epoch has as many steps as the data makes, which is counted when the run begins; without that count no run in epochs has
    a length (huggingface/datasets#5773).
    Example:
      stage s = pretrain { duration = 3 epochs }
      pipeline p { stages = [s] }
      assert s.plan.total_steps > 100 steps
    Instead:
      stage s = pretrain { duration = 1000 steps }
      pipeline p { stages = [s] }
      assert s.plan.total_steps > 100 steps
    """
    return error(
        "TRN331",
        f"`{name}` follows from the data, which is counted when the run begins",
        span,
        help="say `duration` in steps, samples or tokens",
    )


def stage_not_declared(name: str, span: Span | None) -> Diagnostic:
    """TRN134: a pipeline lists a stage that the spec does not declare itself.

    Why: a stage's name is its folder in the bundle and in the run, so each must be declared once, in the spec; two experiments with
    one folder loaded each other's best model (HazyResearch/metal#128).
    Example: pipeline p { stages = [pretrain { seed = 1 }] }
    Instead:
      stage again = pretrain { seed = 1 }
      pipeline p { stages = [again] }
    """
    help = f"declare it: stage {name} = ... {{ ... }}"
    return error("TRN134", f"`{name}` is not a stage that this spec declares", span, help=help)


def records_compared(span: Span) -> Diagnostic:
    """TRN135: whole records are compared.

    Why: two records may agree in what matters and differ in a default; which fields are meant has to be said. A field left out and
    an empty one made a plan replace a firewall that had not changed (pulumi/pulumi-terraform-bridge#1330).
    Example:
      mesh m = wide { tp = 1 }
      assert m == wide
    Instead:
      mesh m = wide { tp = 1 }
      assert m.tp == wide.tp
    """
    return error("TRN135", "records cannot be compared", span, help="compare a field of each")
