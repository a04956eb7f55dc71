from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from trainc.compiler.diff.compare import Comparison, compare
from trainc.compiler.diff.sides import Opened, Side, open_side, read_side
from trainc.compiler.diff.wording import text
from trainc.compiler.effect import Effect

SPEC = """
import std.gpus
import std.models.tiny
cluster here { gpu = gpus.host, gpus_per_node = 2 }
mesh pair { cluster = here, dp_shard = 2 }
data corpus { train = python_stdlib, sequence = 256 }
stage base {
  model     = tiny.llama_1m
  data      = corpus
  mesh      = pair
  batch     { global = 16, micro = 4 }
  optimizer = adamw { lr = 1e-3 }
  duration  = 100 steps
}
"""
NEXT = "stage next = base { model = base.model }\n"

Compared = Callable[..., Comparison]


def side(path: Path, spec: str) -> Side:
    path.write_text(spec)
    opened = open_side(str(path))
    assert isinstance(opened, Opened)
    found = read_side(opened, {})
    assert isinstance(found, Side), found
    return found


@pytest.fixture
def compared(tmp_path: Path) -> Compared:
    """Compares two specs."""
    return lambda old, new: compare(side(tmp_path / "old.train", old), side(tmp_path / "new.train", new))


def moves(comparison: Comparison) -> dict[str, tuple[str | None, str | None, Effect]]:
    return {
        change.path: (change.old.text if change.old else None, change.new.text if change.new else None, change.effect)
        for change in comparison.changes
    }


def test_layout_comments_order_and_names_of_lets_and_records_do_not_count(compared: Compared) -> None:
    lines = SPEC.replace("corpus", "books").replace("lr = 1e-3", "lr = rate").splitlines()
    other = "\n".join([*lines[:2], "# a comment", *lines[2:], "let rate = 0.001", "", ""]).replace("  data ", "data")
    assert compared(SPEC, other).same


def test_writing_a_default_or_a_derived_value_does_not_count(compared: Compared) -> None:
    other = SPEC.replace("micro = 4", "accumulation = 2").replace("duration  =", "clip = 1.0\n  duration  =")
    other = other.replace("sequence = 256", "sequence = 256, shuffle = true")
    assert compared(SPEC, other).same


def test_a_changed_field_has_both_values_both_places_and_its_effect(compared: Compared, tmp_path: Path) -> None:
    found = compared(SPEC, SPEC.replace("lr = 1e-3", "lr = 2e-3"))
    assert moves(found) == {"base.optimizer.lr": ("0.001", "0.002", Effect.RESUME_SAFE)}
    (change,) = found.changes
    assert change.old is not None
    assert change.new is not None
    assert (change.old.place, change.new.place) == (f"{tmp_path}/old.train:12", f"{tmp_path}/new.train:12")


def test_values_are_spelt_with_their_units(compared: Compared) -> None:
    eval = "eval { every = 5 steps }, schedule = cosine { warmup = 3% }"
    held = SPEC.replace("sequence = 256", "sequence = 256, holdout = 5%")
    found = compared(held, held.replace("100 steps", f"100 steps, {eval}"))
    assert moves(found)["base.schedule.warmup"] == ("0 steps", "3%", Effect.RESUME_SAFE)
    assert moves(found)["base.eval"] == (None, "{ every = 5 steps }", Effect.RESUME_SAFE)


def test_a_switched_variant_is_one_change(compared: Compared) -> None:
    found = compared(SPEC, SPEC.replace("duration", "schedule = wsd { floor = 10% }\n  duration"))
    assert moves(found) == {"base.schedule": ("cosine", "wsd { floor = 10% }", Effect.RESUME_SAFE)}


def test_a_value_set_back_to_its_default_is_a_change(compared: Compared) -> None:
    found = compared(SPEC.replace("lr = 1e-3", "lr = 1e-3, weight_decay = 0.0"), SPEC)
    (change,) = found.changes
    assert change.new is not None
    assert (change.new.text, change.new.place) == ("0.1", None)
    assert "not written" in text(found)


@pytest.mark.parametrize(
    ("replaced", "effect"),
    [
        ({"100 steps": "100 steps, logging { every = 10 steps }"}, Effect.NONE),
        ({"100 steps": "200 steps"}, Effect.RESUME_SAFE),
        ({"gpus_per_node = 2": "gpus_per_node = 4", "dp_shard = 2": "dp_shard = 4"}, Effect.RESHARDS),
        ({"100 steps": "100 steps, strategy = ddp", "dp_shard": "dp_replicate"}, Effect.RESHARDS),
        ({"tiny.llama_1m": "tiny.llama_1m { architecture { layers = 2 } }"}, Effect.RESTART),
        ({"100 steps": "200 steps", "sequence = 256": "sequence = 128"}, Effect.RESTART),
    ],
    ids=["logging", "duration", "world", "strategy", "architecture", "sequence"],
)
def test_the_gravest_effect_counts(compared: Compared, replaced: dict[str, str], effect: Effect) -> None:
    other = SPEC
    for old, new in replaced.items():
        other = other.replace(old, new)
    assert compared(SPEC, other).effect is effect


def test_the_plans_are_compared(compared: Compared) -> None:
    (figures,) = compared(SPEC, SPEC.replace("100 steps", "200 steps")).figures
    assert figures.old is not None
    assert figures.new is not None
    assert (figures.old.steps, figures.new.steps) == (100, 200)
    assert figures.old.tokens_per_step == 16 * 256


def test_an_added_and_a_removed_stage(compared: Compared) -> None:
    assert moves(compared(SPEC, SPEC + NEXT)) == {"next": (None, "next", Effect.RESUME_SAFE)}
    found = compared(SPEC + NEXT, SPEC)
    assert moves(found) == {"next": ("next", None, Effect.RESUME_SAFE)}
    assert "next, removed: steps 100" in text(found)


def test_a_renamed_stage_is_recognised_and_so_are_those_that_need_it(compared: Compared) -> None:
    renamed = (
        (SPEC + NEXT).replace("stage base", "stage first").replace("= base {", "= first {").replace("base.model", "first.model")
    )
    assert moves(compared(SPEC + NEXT, renamed)) == {"base": ("base", "first", Effect.RESUME_SAFE)}


def test_a_stage_that_other_weights_feed_is_another_run(compared: Compared) -> None:
    found = compared(SPEC + NEXT, SPEC + NEXT.replace("model = base.model", ""))
    assert moves(found) == {
        "next.model.source": ('stage_output { stage = "base" }', "random", Effect.RESTART),
        "next.model.tokenizer": (None, "bpe", Effect.RESTART),
    }


def test_files_without_a_stage_are_compared_by_what_they_declare(compared: Compared) -> None:
    library = "import std.gpus\ncluster pool { gpu = gpus.host, gpus_per_node = 2 }\n"
    assert compared(library, library + "# the same\n").same
    assert moves(compared(library, library.replace("node = 2", "node = 8"))) == {"pool.gpus_per_node": ("2", "8", Effect.RESHARDS)}


def test_an_undeclared_pipelines_name_does_not_count_and_a_declared_one_does(compared: Compared) -> None:
    named = SPEC + "pipeline one { stages = [base] }\n"
    assert compared(SPEC, named).same
    assert moves(compared(named, named.replace("one", "two"))) == {"pipeline": ("one", "two", Effect.RESUME_SAFE)}


def test_a_field_left_out_by_a_word_changes_to_it(compared: Compared) -> None:
    (change,) = compared(SPEC, SPEC.replace("duration", "clip = none\n  duration")).changes
    assert change.old is not None
    assert change.new is not None
    assert (change.path, change.sort, change.old.text, change.new.text) == ("base.clip", "changed", "1.0", "none")
