from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from trainc.runtime.planfile import PlanFileError, read


@pytest.fixture
def reading(tmp_path: Path, plan: dict[str, Any]):
    def read_with(**changes: Any) -> Any:
        path = tmp_path / "plan.json"
        path.write_text(json.dumps({**plan, **changes}))
        return read(path)

    return read_with


def test_a_plan_reads_back(reading) -> None:
    assert reading().batch.global_size == 8


def test_a_newer_schema_is_refused(reading) -> None:
    with pytest.raises(PlanFileError, match="has schema 2, this runtime reads up to 1"):
        reading(schema=2)


def test_an_unknown_field_is_named(reading) -> None:
    with pytest.raises(PlanFileError, match="`surprise`"):
        reading(surprise=1)


def test_a_missing_field_is_named(tmp_path: Path, plan: dict[str, Any]) -> None:
    del plan["batch"]
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(PlanFileError, match="lacks the field `batch`"):
        read(tmp_path / "plan.json")


def test_a_value_of_another_type_is_shown(reading) -> None:
    with pytest.raises(PlanFileError, match="seed holds '7', not int"):
        reading(seed="7")
