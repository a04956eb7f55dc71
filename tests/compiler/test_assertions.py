from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from trainc.compiler.driver import analyse


@pytest.mark.parametrize(
    "condition",
    [
        "base.batch.accumulation == 2",
        "base.plan.total_steps == 100 steps",
        "base.plan.peak_memory < here.gpu.memory",
        "base.recompute == none",
        "base.strategy.reshard_after_forward",
        "base.schedule.warmup == 10%",
        "base.plan.trainable_parameters < 2M",
    ],
)
def test_assertions_see_what_planning_decided(condition: str, analysed: Any) -> None:
    assert analysed(f"assert {condition}").findings == ()


def test_a_false_assertion_says_what_the_values_were(analysed: Any) -> None:
    (finding,) = analysed('assert base.batch.accumulation == 32 else "the recipe changed"').findings
    assert finding.code == "TRN130"
    assert finding.message == "the recipe changed: `base.batch.accumulation == 32` is false"
    assert finding.help == "here `base.batch.accumulation` is 2"


def test_a_false_assertion_gives_every_part_and_the_place_it_was_written(analysed: Any) -> None:
    text = "let share = 0.5\nmesh other = pair { dp_shard = 4 }\nassert other.dp_shard * share == 3 or other.pp == 2"
    (finding,) = [found for found in analysed(text).findings if found.code == "TRN130"]
    assert finding.help is not None
    parts = ["`other.dp_shard * share == 3` is false", "`other.dp_shard * share` is 2", "`other.dp_shard` is 4", "`share` is 0.5"]
    assert [part for part in parts if part not in finding.help] == []
    assert [(place.span.text, place.message) for place in finding.related] == [
        ("4", "`other.dp_shard` is 4"),
        ("let share = 0.5", "`share` is 0.5"),
    ]


def test_an_assertion_is_judged_beside_errors_that_it_does_not_depend_on(analysed: Any) -> None:
    findings = analysed(
        "mesh wrong = pair { tp = 0 }\nassert here.gpus_per_node == 7\nassert base.plan.total_steps == 1 steps"
    ).findings
    assert sorted(finding.code for finding in findings) == ["TRN124", "TRN130"]


def test_inside_a_block_names_mean_its_fields(analysed: Any) -> None:
    good = analysed("stage s = base { batch { assert micro == 4 and accumulation == 2 } }")
    assert good.findings == ()
    (finding,) = analysed("stage s = base { batch { assert micro > 4 } }").findings
    assert finding.help == "here `micro` is 4"


def test_an_assertion_of_a_base_holds_for_what_amends_it(analysed: Any) -> None:
    (finding,) = analysed("stage a = base { assert clip == 1 }\nstage b = a { clip = 2 }").findings
    assert finding.code == "TRN130"


def test_plans_are_not_there_before_planning(analysed: Any) -> None:
    (finding,) = analysed("stage s = base { seed = base.plan.total_steps / 1 steps }").findings
    assert finding.code == "TRN133"


def test_steps_of_a_run_in_epochs_are_not_known(analysed: Any) -> None:
    found = analysed(
        "stage s = base { duration = 3 epochs }\nassert s.plan.total_steps > 1 steps\nassert s.plan.peak_memory > 1 GB"
    )
    assert [finding.code for finding in found.findings] == ["TRN331", "TRN130"]


def test_a_let_may_prepare_an_assertion(analysed: Any) -> None:
    assert analysed("let most = 0.9 * here.gpu.memory\nlet peak = base.plan.peak_memory\nassert peak < most").findings == ()


def test_assertions_hold_in_records_that_no_stage_uses(analysed: Any) -> None:
    (finding,) = analysed("mesh unused = pair { assert dp_shard == 4 }").findings
    assert (finding.code, finding.help) == ("TRN130", "here `dp_shard` is 2")


def test_assertions_hold_in_files_without_a_stage(analysed: Any) -> None:
    assert [finding.code for finding in analysed("assert 1 == 2", head="").findings] == ["TRN130"]


def test_assertions_hold_in_imported_records(analysed: Any, tmp_path: Any) -> None:
    (tmp_path / "parts.train").write_text("precision exact { compute = fp32, assert compute == bf16 }")
    assert [finding.code for finding in analysed('import "./parts.train"').findings] == ["TRN130"]


def test_a_stage_that_only_serves_to_be_amended_is_not_held_to_its_plan(analysed: Any) -> None:
    text = "stage rough = base { batch { assert accumulation == 2 } }\npipeline p { stages = [base] }"
    assert [finding.code for finding in analysed(text).findings] == ["TRN909"]


def test_what_a_file_asserts_of_its_own_stage_is_for_its_own_plan(tmp_path: Path) -> None:
    first = (Path("stdlib") / "recipes" / "first.train").read_text()
    (tmp_path / "first.train").write_text(first + "assert pretrain.plan.total_steps == 1 steps\n")
    (tmp_path / "longer.train").write_text('import "./first.train"\nstage longer = first.pretrain { duration = 600 steps }\n')
    assert [finding.code for finding in analyse(tmp_path / "first.train", {}).findings] == ["TRN130"]
    assert analyse(tmp_path / "longer.train", {}).findings == ()
