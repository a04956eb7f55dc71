"""Both sides of plan.json: what the compiler writes, the runtime reads, field by field."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from trainc.compiler.driver import analyse
from trainc.compiler.planfile import SCHEMA, plan_json
from trainc.runtime import planfile

CASES = sorted(Path("tests/cases/bundles").resolve().glob("*/spec.train"))
SPECS = [*CASES, Path("examples/quickstart/quickstart.train").resolve()]


def plans(spec: Path) -> list[bytes]:
    settings_file = spec.with_name("settings.json")
    settings = json.loads(settings_file.read_text()) if settings_file.exists() else {}
    plan = analyse(spec, settings).plan
    assert plan is not None
    return [plan_json(plan.pipeline, stage) for stage in plan.stages]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.parent.name)
def test_the_runtime_reads_back_exactly_what_the_compiler_wrote(spec: Path, tmp_path: Path) -> None:
    for content in plans(spec):
        (tmp_path / "plan.json").write_bytes(content)
        read = planfile.read(tmp_path / "plan.json")
        assert dataclasses.asdict(read) == json.loads(content)
        assert sum(read.memory.terms.values()) == read.memory.peak_bytes


def test_both_sides_speak_of_the_same_schema() -> None:
    assert planfile.SCHEMA == SCHEMA
