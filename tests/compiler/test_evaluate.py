from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from trainc.compiler import foreign_words
from trainc.compiler.elaborate import elaborate
from trainc.compiler.evaluate import Evaluator
from trainc.compiler.loader import load
from trainc.compiler.reference import shapes
from trainc.compiler.resolve import resolve
from trainc.compiler.units import Dimension, Quantity


def value_of(text: str, tmp_path: Path) -> tuple[Any, list[str]]:
    (tmp_path / "spec.train").write_text(f"import std.gpus\nlet answer = {text}\nlet three = 3\n")
    library = load(tmp_path / "spec.train")
    resolved = resolve(library)
    evaluator = Evaluator(resolved.root, {})
    value = evaluator.binding(resolved.root, "answer", None)
    return value, [finding.code for finding in (*library.findings, *evaluator.findings)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", Quantity(7)),
        ("(1 + 2) * three", Quantity(9)),
        ("7 / 2", Quantity(3.5)),
        ("8 / 2", Quantity(4)),
        ("7 // 2", Quantity(3)),
        ("7 % 4", Quantity(3)),
        ("-three", Quantity(-3)),
        ("80 GiB + 1 GB", Quantity(80 * 2**30 + 10**9, Dimension.BYTES)),
        ("100 GB / (50 GB/s)", Quantity(2, Dimension.DURATION)),
        ("400 Gb/s * 2 s", Quantity(100 * 10**9, Dimension.BYTES)),
        ("80 GiB / 1 GiB", Quantity(80)),
        ("200 steps * 50%", Quantity(100, Dimension.STEPS)),
        ("max(1, 5, 3)", Quantity(5)),
        ("sum([1, 2, 3])", Quantity(6)),
        ("len([1, 2])", Quantity(2)),
        ("gcd(12, 8)", Quantity(4)),
        ("ceil(7 / 2)", Quantity(4)),
        ("[1, 2, 3][1]", Quantity(2)),
        ("1 in [1, 2]", True),
        ("4 not in [1, 2]", True),
        ("1 < 2 and not (2 < 1)", True),
        ("if three == 3 then 10 else 20", Quantity(10)),
        ('"a${three}b"', "a3b"),
        ("gpus.host.memory", Quantity(16 * 2**30, Dimension.BYTES)),
        ("false and 1 / 0 == 1", False),
    ],
)
def test_expressions(text: str, expected: object, tmp_path: Path) -> None:
    assert value_of(text, tmp_path) == (expected, [])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("80 GB + 500 steps", "TRN122"),
        ("1 steps < 1 epochs", "TRN122"),
        ("1 == 1 GB", "TRN122"),
        ("1 / 0", "TRN125"),
        ("1e200 * 1e200 * 1e200", "TRN131"),
        ("9" * 5000, "TRN131"),
        ("nowhere", "TRN101"),
        ("gpus.nowhere", "TRN106"),
        ("three.x", "TRN120"),
        ("maximum(1, 2)", "TRN113"),
        ("gcd(1.5, 2)", "TRN126"),
        ("max()", "TRN126"),
        ("mod(1)", "TRN126"),
        ("[1][3]", "TRN128"),
        ("1 and true", "TRN120"),
        ("answer + 1", "TRN104"),
        ("three { a = 1 }", "TRN120"),
    ],
)
def test_faults_are_reported_once(text: str, code: str, tmp_path: Path) -> None:
    value_of(text, tmp_path)
    assert value_of(text, tmp_path)[1] == [code]


def test_what_depends_on_a_failed_name_is_silent(tmp_path: Path) -> None:
    assert value_of("max(nowhere, 2) + [nowhere][0] * gpus.host.memory", tmp_path)[1] == ["TRN101", "TRN101"]


def test_a_long_chain_of_names_ends_with_a_finding(tmp_path: Path) -> None:
    lines = ["let a0 = 1", *(f"let a{n} = a{n - 1} + 1" for n in range(1, 500))]
    (tmp_path / "spec.train").write_text("\n".join(reversed(lines)))
    resolved = resolve(load(tmp_path / "spec.train"))
    assert "TRN132" in [finding.code for finding in elaborate(resolved, {}).findings]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("let a = if true then 1 else misspelt", "TRN101"),
        ("let a = 1 in [1 steps]", "TRN122"),
        ("assert none == base.mesh", "TRN101"),
        ("assert base.plan.step_time < 3min", "TRN136"),
    ],
)
def test_what_is_not_evaluated_or_not_alike_is_reported(text: str, code: str, analysed: Any) -> None:
    assert [finding.code for finding in analysed(text).findings] == [code]


@pytest.mark.parametrize(
    "text",
    [
        "let a = if true then 1 else 2 / 0",
        "assert none == base.recompute",
        "assert base.plan.peak_memory_breakdown.logits <= base.plan.peak_memory",
        "mesh m = pair { sequence_parallel = if true then false else true }",
        'let a = 1 in [] or "x" in ["y"] or 3 in [1, 2]',
    ],
)
def test_what_is_sound_stays_silent(text: str, analysed: Any) -> None:
    assert [finding for finding in analysed(text).findings if finding.code not in ("TRN907", "TRN909")] == []


@pytest.mark.parametrize(
    ("field", "message", "help"),
    [
        ("duration = 1000", "expected an extent", "write it with its unit: `1000 steps` or `1000 tokens` or `1000 samples`"),
        ("optimizer = 3", "expected an optimizer", "name one of adamw, adamw8bit, adafactor, lion, muon, sgd"),
        ("optimizer = adamw { lr = 3% }", "expected a number", "write the number itself: `0.03`"),
        ("schedule = cosine { floor = 0.1 }", "expected a percent", "a share is written in percent: `10%`"),
        ("eval { every = 50 }", "expected steps", "write `50 steps`"),
    ],
)
def test_a_number_with_another_unit_says_how_it_is_written(analysed: Any, field: str, message: str, help: str | None) -> None:
    (finding,) = analysed(f"stage other = base {{ {field} }}").findings
    assert finding.message.startswith(message)
    assert (finding.help or (finding.fix.message if finding.fix else None)) == help


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("stage s = base { optimizer = adamw { learning_rate = 1e-3 } }", "it is called `lr` here"),
        ("stage s = base { mesh { tensor_parallel_degree = 8 } }", "it is called `tp` here"),
        ("stage s = base { schedule = cosine { warmup_steps = 10 } }", "here it is written `warmup = 3%`"),
        ("stage s = base { num_epochs = 3 }", "here it is written `duration = 3 epochs`"),
        ("data other { train = text { file = 3 }, sequence = 8 }", "it is called `path` here"),
    ],
)
def test_a_field_of_another_system_is_one_finding_with_its_name_here(analysed: Any, text: str, help: str) -> None:
    (finding,) = [entry for entry in analysed(text).findings if entry.severity.value == "error"]
    assert (finding.code, finding.help) == ("TRN105", help)


def test_the_table_of_foreign_names_holds_fields_that_exist() -> None:
    fields = {field for shape in shapes().values() for field in shape.settings}
    named = {*foreign_words._SAME, *(example.split()[0] for example in foreign_words._OTHERWISE)}
    assert named <= fields


@pytest.mark.parametrize(
    ("text", "place", "help"),
    [
        ("pipeline p { stages = [base, sft] }", "sft", None),
        ("pipeline p { stages = [base, 3] }", "3", "name a declared `stage`, without quotes"),
        ("stage s = base { batch = 64 }", "64", "set its fields in a block: `batch { global = ... }`"),
        ("stage s = base { model = base }", "base", "did you mean `base.model`?"),
        ("stage s = base { model { source = 3 } }", "3", "name one of random, local, hf, stage_output"),
        ("gpu mine = clusters.dgx { memory = 1 GB }", "clusters", "add `import std.clusters` at the top of the file"),
    ],
)
def test_a_wrong_record_says_what_is_wanted(analysed: Any, text: str, place: str, help: str | None) -> None:
    (finding,) = [entry for entry in analysed(text).findings if entry.severity.value == "error"]
    assert finding.primary is not None
    assert finding.primary.text == place
    assert help is None or finding.help == help


def test_one_item_where_a_list_stands_gets_its_brackets(analysed: Any) -> None:
    (finding,) = analysed("pipeline p { stages = base }").findings
    assert finding.fix is not None
    assert [edit.text for edit in finding.fix.edits] == ["[base]"]


def test_a_compute_capability_is_no_sm_number(analysed: Any) -> None:
    (finding,) = analysed("gpu g { memory = 1 GB, compute_capability = 90 }\nassert g.memory > 1").findings[:1]
    assert finding.code == "TRN124"
