from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from trainc.compiler.show import origins_json, show_text
from trainc.compiler.whence import Origination, Whence

# The line numbers of the tests: `cluster here` of the common head stands on line 4, `stage base` on line 8.
TEXT = """let rate = 2e-3
param length: extent = 70 steps
mesh other = pair { dp_shard = 2 }
stage next = base {
  model     = base.model
  optimizer { lr = rate }
  duration  = length
  mesh      = other
}
"""
FIRST = 18


@pytest.fixture
def said(analysed: Any) -> Callable[..., Whence]:
    """What is said of a path in the head's spec with TEXT after it."""

    def whence(path: str, settings: Mapping[str, str] | None = None) -> Whence:
        analysis = analysed(TEXT, settings)
        assert analysis.findings == ()
        return Origination(analysis.elaborated.origins, analysis.library).whence(path)

    return whence


def at(offset: int) -> str:
    return f"spec.train:{FIRST + offset}"


def test_a_default(said: Any) -> None:
    assert str(said("base.clip")) == "default"
    assert str(said("base.optimizer.eps")) == "default"


def test_a_value_written_where_it_stands(said: Any) -> None:
    assert str(said("base.batch.micro")) == "spec.train:13"
    assert str(said("next")) == at(3)


def test_a_let_and_a_param(said: Any) -> None:
    assert str(said("next.optimizer.lr")) == f"{at(0)} (let rate)"
    assert str(said("next.duration")) == f"{at(1)} (param length)"


def test_what_the_command_line_sets(said: Any) -> None:
    whence = said("next.duration", {"length": "90 steps"})
    assert whence == Whence("set", place=None, name="length")
    assert str(whence) == "--set length"


def test_a_value_that_an_amended_record_keeps(said: Any) -> None:
    assert str(said("next.batch.micro")) == f"spec.train:13, amended at {at(3)}"
    assert str(said("next.optimizer")) == at(5)


def test_a_value_of_a_record_that_is_named(said: Any) -> None:
    assert str(said("base.mesh.dp_shard")) == "spec.train:5, named at spec.train:11"
    assert str(said("base.mesh")) == "spec.train:5, named at spec.train:11"
    assert str(said("base.model.architecture.layers")).startswith("std.models.tiny:")
    assert said("base.model.architecture.layers").via == "spec.train:9"
    assert str(said("next.mesh.dp_shard")) == f"{at(2)}, named at {at(7)}"


def test_every_line_of_the_text_has_its_origin_and_without_them_the_text_is_the_same(analysed: Any) -> None:
    analysis = analysed(TEXT)
    stages = analysis.elaborated.pipeline.stages
    plain = show_text(stages, None).splitlines()
    commented = show_text(stages, Origination(analysis.elaborated.origins, analysis.library)).splitlines()
    assert [line.partition("  #")[0].rstrip() for line in commented] == plain
    assert all("  # " in line for line in commented if line.strip() != "}")


def test_json_has_the_origin_of_every_field(analysed: Any) -> None:
    analysis = analysed(TEXT)
    found = origins_json(analysis.elaborated.pipeline.stages, Origination(analysis.elaborated.origins, analysis.library))
    assert found["next.optimizer.lr"] == {"from": "let", "place": at(0), "name": "rate"}
    assert found["next.batch.micro"] == {"from": "written", "place": "spec.train:13", "amended_at": at(3)}
    assert found["base.mesh.dp_shard"] == {"from": "written", "place": "spec.train:5", "named_at": "spec.train:11"}
    assert found["base.eval"] == {"from": "default"}
