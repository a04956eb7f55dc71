"""Every change that a spec can undergo has an effect in the schema."""

from __future__ import annotations

import pytest
from trainc.compiler import reference
from trainc.compiler.effect import Effect, worst
from trainc.compiler.schema import Record, RecordOf, Setting
from trainc.compiler.spec import StageSpec

FIELDS = [(name, field, entry) for name, shape in reference.shapes().items() for field, entry in shape.settings.items()]


@pytest.mark.parametrize(("name", "field", "entry"), FIELDS, ids=[f"{name}.{field}" for name, field, _ in FIELDS])
def test_a_field_states_or_inherits_its_effect(name: str, field: str, entry: Setting) -> None:
    assert isinstance(entry.effect, Effect)


def test_a_switched_variant_has_the_effect_of_the_field_that_holds_it() -> None:
    switches = {
        f"{name}.{field}": entry.effect
        for name, field, entry in FIELDS
        if isinstance(entry.type, RecordOf) and entry.type.shape.variants
    }
    assert switches == {
        "architecture.rope": Effect.RESTART,
        "data.train": Effect.RESTART,
        "data.eval": Effect.RESTART,
        "data.chat_template": Effect.RESTART,
        "model.source": Effect.RESTART,
        "model.tokenizer": Effect.RESTART,
        "stage.strategy": Effect.RESHARDS,
        "stage.adapter": Effect.RESTART,
        "stage.objective": Effect.RESTART,
        "stage.optimizer": Effect.RESTART,
        "stage.schedule": Effect.RESUME_SAFE,
    }


def test_a_field_without_an_effect_of_its_own_has_its_records() -> None:
    class Shape(Record, part="shape", effect=Effect.RESHARDS):
        """A shape."""

        settings = StageSpec.settings

    class Inner(Shape, part="inner"):
        """Inside it."""

        width: int = StageSpec.settings["seed"]

    assert Inner.effect is Effect.RESHARDS


def test_the_worst_of_no_effects_is_none() -> None:
    assert worst([]) is Effect.NONE
    assert worst([Effect.RESUME_SAFE, Effect.RESTART, Effect.RESHARDS]) is Effect.RESTART
