from __future__ import annotations

from typing import Any

import pytest
from trainc.compiler.driver import Analysis
from trainc.compiler.show import show_text
from trainc.compiler.spec import EvalSpec, StageOutput, StageSpec
from trainc.dsl.diagnostics import Diagnostic


def stage(analysis: Analysis, name: str) -> StageSpec:
    pipeline = analysis.elaborated.pipeline
    assert pipeline is not None, [finding.message for finding in analysis.findings]
    return next(stage for stage in pipeline.stages if stage.name == name)


def only(analysis: Analysis) -> Diagnostic:
    assert len(analysis.findings) == 1, [finding.message for finding in analysis.findings]
    return analysis.findings[0]


def test_amending_replaces_named_fields_and_keeps_the_rest(analysed: Any) -> None:
    analysis = analysed("stage long = base { duration = 200 steps, batch { micro = 2 } }")
    assert stage(analysis, "long").duration.value == 200
    assert stage(analysis, "long").batch.micro == 2
    assert stage(analysis, "long").batch.global_ == 16
    assert stage(analysis, "base").batch.micro == 4


def test_an_amended_variant_keeps_its_other_fields(analysed: Any) -> None:
    analysis = analysed("stage hot = base { optimizer { lr = 1e-2 } }\nstage cold = base { optimizer = adamw { lr = 1e-4 } }")
    assert stage(analysis, "hot").optimizer.lr == 1e-2
    assert stage(analysis, "cold").optimizer.weight_decay == 0.1


def test_amending_twice_recurses(analysed: Any) -> None:
    analysis = analysed("stage one = base { batch { micro = 2 } }\nstage two = one { batch { global = 32 } }")
    assert (stage(analysis, "two").batch.micro, stage(analysis, "two").batch.global_) == (2, 32)


def test_a_stage_that_reads_another_stages_model_depends_on_it(analysed: Any) -> None:
    analysis = analysed("stage next = base { model = base.model }")
    assert isinstance(stage(analysis, "next").model.source, StageOutput)
    assert stage(analysis, "next").model.tokenizer is None
    assert analysis.plan is not None
    assert analysis.plan.stages[1].needs == ("base",)


def test_stages_run_after_what_they_need(analysed: Any) -> None:
    analysis = analysed("stage a = base { model = z.model }\nstage z = base { }")
    assert analysis.plan is not None
    assert [entry.name for entry in analysis.plan.stages] == ["base", "z", "a"]


def test_a_pipeline_chooses_its_stages(analysed: Any) -> None:
    analysis = analysed("stage other = base { seed = 1 }\npipeline p { stages = [other] }")
    assert analysis.plan is not None
    assert [entry.name for entry in analysis.plan.stages] == ["other"]
    assert analysis.plan.pipeline == "p"


def test_stages_outside_the_pipeline_may_be_incomplete(analysed: Any) -> None:
    analysis = analysed("stage part { seed = 1 }\npipeline p { stages = [base] }")
    assert [finding.code for finding in analysis.findings] == ["TRN909"]


def test_a_param_takes_its_value_from_the_command_line(analysed: Any) -> None:
    text = "param n: count = 4\nstage s = base { batch { micro = n } }"
    assert stage(analysed(text), "s").batch.micro == 4
    assert stage(analysed(text, {"n": "2"}), "s").batch.micro == 2


def test_a_params_value_is_checked_against_its_type(analysed: Any) -> None:
    finding = only(analysed("param n: count = 4", {"n": "2 GB"}))
    assert finding.code == "TRN120"
    assert finding.primary is not None
    assert finding.primary.source.name == "--set n"


def test_a_set_that_names_nothing_suggests(analysed: Any) -> None:
    finding = only(analysed("param steps: count = 4", {"step": "2"}))
    assert (finding.code, finding.help) == ("TRN110", "did you mean `steps`?")


def test_the_origin_of_a_value_leads_through_names(analysed: Any) -> None:
    analysis = analysed("param n: count = 4\nlet m = n\nstage s = base { batch { micro = m } }", {"n": "2"})
    origin = analysis.elaborated.origins["s.batch.micro"]
    assert origin.written
    assert [related.span.text for related in origin.trail] == ["m", "n", "2"]


def test_defaults_are_known_as_defaults(analysed: Any) -> None:
    origins = analysed("").elaborated.origins
    assert not origins["base.seed"].written
    assert origins["base.duration"].written


def test_missing_fields_are_named_together(analysed: Any) -> None:
    finding = only(analysed("cluster c { nodes = 2 }"))
    assert finding.code == "TRN109"
    assert "`gpu`, `gpus_per_node`" in finding.message


def test_an_enum_member_wins_over_a_binding(analysed: Any) -> None:
    analysis = analysed('let full = "x"\nstage s = base { recompute = full }')
    assert stage(analysis, "s").recompute == "full"


def test_data_paths_begin_at_the_specs_folder(analysed: Any, tmp_path: Any) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.txt").write_text("hello")
    (tmp_path / "sub" / "d.train").write_text('data mine { train = text { path = "x.txt" }, sequence = 8 }')
    analysis = analysed('import "./sub/d.train" as d\nstage s = base { data = d.mine }')
    assert stage(analysis, "s").data.train.path == "sub/x.txt"  # type: ignore[attr-defined]


def test_what_a_syntax_fault_took_away_is_not_reported_again(analysed: Any) -> None:
    analysis = analysed(
        "mesh lost = = { cluster = here }\nstage s = base { mesh = lost }\ncluster c { gpu gpus.host, gpus_per_node = 1 }"
    )
    assert [finding.code[:4] for finding in analysis.findings] == ["TRN0", "TRN0"]


@pytest.mark.parametrize("listed", ["lib.other", "base { seed = 1 }"])
def test_a_pipeline_lists_stages_that_the_spec_declares(listed: str, analysed: Any, tmp_path: Any) -> None:
    (tmp_path / "lib.train").write_text("stage other { seed = 1 }\npipeline none { stages = [] }")
    findings = analysed(f'import "./lib.train"\npipeline p {{ stages = [{listed}] }}').findings
    assert "TRN134" in [finding.code for finding in findings]


def test_a_declaration_that_nothing_reads_yet_is_refused(analysed: Any) -> None:
    finding = only(analysed('target slurm { launcher = "slurm" }'))
    assert (finding.code, finding.primary.text if finding.primary else "") == ("TRN801", "slurm")


def test_a_cycle_of_stages_names_the_fields_on_its_way(analysed: Any) -> None:
    finding = only(analysed("stage a = base { model = b.model }\nstage b = base { model = a.model }"))
    assert finding.message == "a name depends on itself: `a.model` -> `b.model` -> `a.model`"


def test_a_finding_about_a_library_record_stands_where_the_user_changed_it(analysed: Any) -> None:
    analysis = analysed("model odd = tiny.llama_1m { architecture { heads = 3 } }\nstage s = base { model = odd }")
    assert {finding.primary.text for finding in analysis.findings if finding.primary} == {"3"}


def test_a_record_without_a_name_is_called_by_its_kind(analysed: Any) -> None:
    analysis = analysed("stage s = base { data { holdout = 0% }, eval { every = 5 steps } }\ndata other = corpus { }")
    assert "``" not in "".join(finding.message for finding in analysis.findings)


def test_a_second_pipeline_is_not_ignored(analysed: Any) -> None:
    assert only(analysed("pipeline p { stages = [base] }\npipeline q { stages = [base] }")).code == "TRN114"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("lib.where", "sub/d/x.txt"),
        ("lib.place", "sub/d/x.txt"),
        ("lib.joined", "sub/d/x.txt"),
        ("lib.mine.train.path", "sub/d/x.txt"),
        ('"${lib.folder}/x.txt"', "d/x.txt"),
        ("own", "d/x.txt"),
    ],
)
def test_a_path_belongs_to_the_file_it_is_written_in(written: str, expected: str, analysed: Any, tmp_path: Any) -> None:
    for folder in ("d", "sub/d"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x.txt").write_text("hello")
    (tmp_path / "sub" / "lib.train").write_text(
        'let folder = "d"\nlet where = "d/x.txt"\nlet joined = folder + "/x.txt"\nparam place: path = "d/x.txt"\n'
        "data mine { train = text { path = where }, sequence = 8 }\n"
    )
    text = f'import "./sub/lib.train"\nlet own = "d/x.txt"\nstage s = base {{ data {{ train = text {{ path = {written} }} }} }}'
    assert stage(analysed(text), "s").data.train.path == expected  # type: ignore[attr-defined]


@pytest.mark.parametrize("given", ["some/path with spaces.txt", '"some/path with spaces.txt"'])
def test_a_string_on_the_command_line_needs_no_quotes(given: str, analysed: Any) -> None:
    text = 'param place: path = "x"\nassert place == "some/path with spaces.txt"'
    assert analysed(text, {"place": given}).findings == ()


def test_a_misspelt_field_is_not_missing_too(analysed: Any) -> None:
    assert only(analysed("stage s = base { optimizer = adamw { lrr = 1e-3 } }")).code == "TRN105"


def test_lets_that_name_two_others_take_no_time_without_end(analysed: Any) -> None:
    lets = "\n".join(f"let a{n} = a{n - 1} + a{n - 1}" for n in range(1, 39))
    assert analysed(f"let a0 = 1\n{lets}\nassert a38 == {2**38}").findings == ()


def test_records_are_not_compared(analysed: Any) -> None:
    assert only(analysed("assert base.mesh == pair")).code == "TRN135"


@pytest.mark.parametrize("word", ["none", "if 1 > 2 then 1.0 else none"])
def test_none_leaves_an_optional_field_out(word: str, analysed: Any) -> None:
    analysis = analysed(f"stage s = base {{ clip = {word} }}")
    assert [finding.code for finding in analysis.findings] == []
    assert stage(analysis, "s").clip is None


def test_none_takes_back_what_an_amended_record_has(analysed: Any) -> None:
    text = "stage a = base { eval { every = 10 steps } }\nstage b = a { eval = none }\nstage c = b { eval { every = 20 steps } }"
    analysis = analysed(text)
    assert [finding.code for finding in analysis.findings] == []
    assert stage(analysis, "b").eval is None
    assert stage(analysis, "c").eval == EvalSpec(every=20)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("stage s = base { duration = none }", "TRN101"),
        ("stage s = base { schedule = none }", "TRN107"),
        ("stage s = base { clip = nonee }", "TRN101"),
        ("stage s = base { clip = [none] }", "TRN101"),
        ("let clip = none", "TRN101"),
    ],
)
def test_none_stands_only_where_a_field_may_be_left_out(text: str, code: str, analysed: Any) -> None:
    assert [finding.code for finding in analysed(text).findings if finding.severity.value == "error"] == [code]


def test_none_of_another_language_is_certain(analysed: Any) -> None:
    (finding,) = analysed("stage s = base { clip = None }").findings
    assert finding.fix is not None
    assert [edit.text for edit in finding.fix.edits] == ["none"]


def test_a_member_named_none_stays_a_member(analysed: Any) -> None:
    analysis = analysed("stage s = base { recompute = none, model { quantization = none } }")
    assert stage(analysis, "s").recompute == "none"


def test_what_none_left_out_is_shown_so(analysed: Any) -> None:
    analysis = analysed("stage s = base { clip = none, eval = none }")
    lines = show_text([stage(analysis, "s")], None).splitlines()
    assert "  clip = none" in lines
    assert not any(line.strip().startswith("eval") for line in lines)


def test_a_path_that_no_file_can_have_is_a_finding(analysed: Any) -> None:
    text = 'stage s = base { model { source = local { path = "a\\u{0}b" }, tokenizer = pretrained { path = "x" } } }'
    assert [finding.code for finding in analysed(text).findings] == ["TRN607"]
