from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from trainc.compiler import provenance
from trainc.compiler.driver import analyse

from .test_cli import trainc

QUICKSTART = Path("examples/quickstart/quickstart.train")
ANALYSIS = analyse(QUICKSTART, {})
FIELDS = provenance.fields(ANALYSIS.elaborated)


@pytest.mark.parametrize("path", FIELDS)
def test_every_field_of_the_quickstart_is_explained(path: str) -> None:
    text = provenance.explain_field(ANALYSIS, path)
    assert text is not None
    first, *lines = text.splitlines()
    assert first.startswith((f"{path} = ", f"{path} is a "))
    assert any(line.startswith(("  set at ", "  its default: nothing in the spec sets it")) for line in lines)
    assert "Spec(" not in text
    assert "<" not in text


def test_the_fields_are_those_that_show_prints() -> None:
    assert {"pretrain", "pretrain.model.architecture.layers", "pretrain.mesh.cluster.gpu.memory", "here.nodes"} <= set(FIELDS)
    assert len(FIELDS) > 100


# One letter more makes `ep` as near to `pp` as to itself.
@pytest.mark.parametrize("path", [path for path in FIELDS if "." in path and len(path.rpartition(".")[2]) > 2])
def test_a_misspelt_field_is_recognised(path: str) -> None:
    parent, _, name = path.rpartition(".")
    misspelt = f"{parent}.{name}{name[-1]}"
    assert provenance.explain_field(ANALYSIS, misspelt) is None
    assert provenance.meant(ANALYSIS.elaborated, misspelt) == path


def test_a_name_that_is_misspelt_on_the_way_is_recognised() -> None:
    assert provenance.meant(ANALYSIS.elaborated, "pretrian.mash.dp_shrad") == "pretrain.mesh.dp_shard"


def test_what_is_like_nothing_gets_what_there_is() -> None:
    assert provenance.meant(ANALYSIS.elaborated, "pretrain.batch.zzzzzzzz") is None
    assert (
        provenance.nearest_fields(ANALYSIS.elaborated, "pretrain.batch.zzzzzzzz")
        == "`pretrain.batch` has global, micro, accumulation"
    )
    assert provenance.nearest_fields(ANALYSIS.elaborated, "zzz") == "the spec declares here, python, pair, exact, pretrain"


def test_what_the_planner_derives_is_said() -> None:
    text = provenance.explain_field(ANALYSIS, "pretrain.batch.accumulation")
    assert text is not None
    assert "  the plan makes it 1" in text.splitlines()


def test_what_another_value_would_do_is_said() -> None:
    text = provenance.explain_field(ANALYSIS, "pretrain.mesh.dp_shard")
    assert text is not None
    assert "another value is reshards" in text
    assert f"  named at {QUICKSTART}:30" in text.splitlines()


def test_a_list_of_records_is_shown_by_their_names(analysed: Any) -> None:
    text = provenance.explain_field(analysed("pipeline all { stages = [base] }"), "all.stages")
    assert text is not None
    assert text.startswith("all.stages = [base]\n")


def test_a_record_of_an_imported_file_is_found_behind_its_colon() -> None:
    done = trainc("explain", "examples/changes/four.train:two.train:here.nodes")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "two.train:here.nodes = 1")


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        (f"{QUICKSTART}:pretrain.mesh.dp_shrad", "did you mean pretrain.mesh.dp_shard?"),
        (f"{QUICKSTART}:", "name a field too"),
        (str(QUICKSTART), "name a field too"),
        ("TRN2O1", "did you mean TRN201?"),
        (":", "no code :"),
    ],
)
def test_what_does_not_exist_is_wrong_usage_with_a_way_out(subject: str, said: str) -> None:
    done = trainc("explain", subject)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())


def test_a_code_that_is_no_longer_made_is_known() -> None:
    done = trainc("explain", "trn121")
    assert (done.returncode, done.stdout) == (0, "TRN121 is no longer made; see TRN014\n")


def test_a_param_given_on_the_command_line_is_where_the_value_comes_from() -> None:
    done = trainc("explain", f"{QUICKSTART}:pretrain.duration", "--set", "length=9steps")
    assert done.stdout.startswith("pretrain.duration = 9 steps\n")
    assert "  set on the command line --set length:1: 9steps\n" in done.stdout
