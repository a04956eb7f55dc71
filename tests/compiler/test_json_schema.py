from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from trainc.compiler import json_schema, reference
from trainc.compiler.driver import analyse
from trainc.compiler.show import FORMAT_VERSION, show_json

from .test_cli import trainc

SCHEMA = json_schema.json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
# Not the mistakes, nor what lacks its weights until it is prepared.
EXAMPLES = [spec for spec in sorted(Path("examples").rglob("*.train")) if spec.parent.name not in ("mistakes", "sft_lora")]
SPECS = [*EXAMPLES, *sorted(Path("tests/cases/bundles").glob("*/spec.train")), *sorted(Path("stdlib/recipes").glob("*.train"))]


def shown(spec: Path) -> Any:
    given = spec.with_name("settings.json")
    analysis = analyse(spec, json.loads(given.read_text()) if given.exists() else {})
    assert analysis.elaborated.pipeline is not None
    return json.loads(json.dumps({"format_version": FORMAT_VERSION, "stages": show_json(analysis.elaborated.pipeline.stages)}))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside another."""
    keys: Any = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key)
        yield from places(value[key], (*path, key))


def parent(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        value = value[key]
    return value


WHOLE = shown(Path("tests/cases/bundles/two_stages/spec.train"))
PLACES = list(places(WHOLE))


def test_the_schema_is_valid_against_its_dialect() -> None:
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_what_show_prints_is_valid(spec: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(shown(spec))] == []


@pytest.mark.parametrize("spec", [*EXAMPLES, Path("tests/cases/bundles/two_stages/spec.train")], ids=str)
def test_what_show_prints_with_origins_is_valid(spec: Path) -> None:
    content = json.loads(trainc("show", str(spec), "--origins", "--format", "json").stdout)
    assert content["origins"]
    assert [error.message for error in VALIDATOR.iter_errors(content)] == []
    content["origins"]["surplus"] = {"from": "nowhere"}
    assert not VALIDATOR.is_valid(content)


@pytest.mark.parametrize("path", PLACES, ids=lambda path: ".".join(map(str, path)))
def test_a_value_of_another_type_is_invalid(path: tuple[Any, ...]) -> None:
    changed = copy.deepcopy(WHOLE)
    parent(changed, path)[path[-1]] = {"nothing": ["like", "this"]}
    assert not VALIDATOR.is_valid(changed)


@pytest.mark.parametrize("path", [path for path in PLACES if isinstance(path[-1], str)], ids=lambda path: ".".join(map(str, path)))
def test_a_missing_field_is_invalid(path: tuple[Any, ...]) -> None:
    changed = copy.deepcopy(WHOLE)
    del parent(changed, path)[path[-1]]
    assert not VALIDATOR.is_valid(changed)


@pytest.mark.parametrize(
    "path",
    [(), *(path for path in PLACES if isinstance(parent(WHOLE, (*path, "")), dict))],
    ids=lambda path: ".".join(map(str, path)),
)
def test_a_field_that_the_language_does_not_have_is_invalid(path: tuple[Any, ...]) -> None:
    changed = copy.deepcopy(WHOLE)
    parent(changed, (*path, ""))["surplus"] = 1
    assert not VALIDATOR.is_valid(changed)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (("duration",), "300"),
        (("duration",), "300 parsecs"),
        (("data", "holdout"), 5),
        (("optimizer", "lr"), 0),
        (("optimizer", "betas"), [0.9]),
        (("batch", "micro"), 1.5),
        (("mesh", "dp_shard"), 0),
        (("precision", "compute"), "float16"),
        (("optimizer", "variant"), "adam"),
        (("seed",), 2**32),
    ],
    ids=str,
)
def test_a_value_outside_the_fields_bounds_is_invalid(field: tuple[str, ...], value: Any) -> None:
    changed = copy.deepcopy(WHOLE)
    parent(changed["stages"][0], field)[field[-1]] = value
    assert not VALIDATOR.is_valid(changed)


def test_every_shape_that_a_stage_can_hold_is_defined_under_a_name_of_its_own() -> None:
    assert len(SCHEMA["$defs"]) == len(reference.shapes().keys() - {"pipeline", "target"})


def test_the_command_prints_the_schema() -> None:
    assert json.loads(trainc("schema").stdout) == SCHEMA
