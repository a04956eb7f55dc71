"""What a run folder is read into, and what is told of it."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from trainc.compiler.runs import report
from trainc.compiler.runs.record import RunRecord
from trainc.compiler.runs.wording import duration, size
from trainc.dsl.diagnostics import Diagnostic, Severity

MEMORY = {"terms": {"weights": 2**30, "gradients": 2**29}, "peak_bytes": 3 * 2**29}


def metrics(step: int, loss: float) -> dict[str, float]:
    return {
        "step": step,
        "loss": loss,
        "lr": 1e-3,
        "tokens_per_second": 100.0,
        "peak_memory_bytes": step * 2**30,
    }


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "quick" / "20261130-051439-0a1b2c3d"
    stage = folder / "pretrain"
    stage.mkdir(parents=True)
    content = {"pipeline": "quick", "hash": "0a1b2c3d4e5f", "bundle": "b", "stages": ["pretrain", "align"]}
    (folder / "run.json").write_text(json.dumps(content))
    (stage / "plan.json").write_text(json.dumps({"memory": MEMORY}))
    write_rows(stage / "metrics.jsonl", *(metrics(step, 8.0 / step) for step in (1, 2, 3)))
    write_rows(
        stage / "events.jsonl",
        {"time": 100.0, "event": "started", "world_size": 2, "device": "cuda", "total_steps": 3, "parameters": 5},
        {"time": 110.0, "event": "evaluation", "step": 1, "loss": 9.0},
        {"time": 120.0, "event": "interrupted", "step": 1},
        {"time": 900.0, "event": "started", "world_size": 2, "device": "cuda", "total_steps": 3, "parameters": 5},
        {"time": 905.0, "event": "resumed", "step": 1, "checkpoint": "step-1", "skipped": []},
        {"time": 930.0, "event": "evaluation", "step": 3, "loss": 3.0},
        {"time": 940.0, "event": "finished"},
    )
    return folder


def write_rows(path: Path, *rows: object) -> None:
    with path.open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def load(run: Path) -> RunRecord:
    record = report.load(run)
    assert isinstance(record, RunRecord)
    return record


def test_incidents_are_told_in_words_and_steps_left_out_are_counted(run: Path) -> None:
    write_rows(
        run / "pretrain" / "events.jsonl",
        {"time": 950.0, "event": "skipped", "step": 7, "reason": "the loss is nan", "samples": [3, 5]},
        {"time": 951.0, "event": "profiled", "first_step": 8, "last_step": 9, "path": "profile"},
        {"time": 952.0, "event": "failed", "rank": 2, "type": "StageError", "message": "lost rank 1 last seen in step 9 (update)"},
    )
    record = load(run)
    assert [incident.details for incident in record.stages[0].incidents[-3:]] == [
        "step 7: the loss is nan, samples 3, 5",
        "steps 8 to 9, a trace a rank in profile/",
        "rank 2: lost rank 1 last seen in step 9 (update)",
    ]
    assert "steps left out" in report.text(record)
    assert "samples 3, 5" in report.html(record)


def test_perplexity_stands_beside_the_held_out_loss(run: Path) -> None:
    # exp(9) and exp(3).
    assert "8,103.1 -> 20.1" in report.text(load(run))
    assert "8,103.1 -&gt; 20.1" in report.html(load(run))


def test_a_stage_that_stopped_early_says_so_and_what_it_exported(run: Path) -> None:
    write_rows(
        run / "pretrain" / "events.jsonl",
        {"time": 950.0, "event": "stopped early", "step": 3, "evaluations": 2},
        {"time": 951.0, "event": "best", "step": 1, "loss": 2.5},
    )
    text = report.text(load(run))
    assert "3 of 3, stopped early" in text
    assert "2.500, step 1" in text
    assert "step 3: 2 evaluations in a row without a lower held-out loss" in report.html(load(run))


def test_predicted_and_measured_peaks_stand_side_by_side(run: Path) -> None:
    stage = load(run).stages[0]
    assert stage.predicted_peak_bytes == 3 * 2**29
    assert stage.measured_peak_bytes == 3 * 2**30
    text = report.text(load(run))
    assert "1.50 GiB" in text
    assert "3.00 GiB" in text


def test_the_pause_before_a_resume_is_no_training_time(run: Path) -> None:
    assert load(run).stages[0].wall_seconds == 60.0


def test_of_two_rows_for_a_step_the_later_counts(run: Path) -> None:
    write_rows(run / "pretrain" / "metrics.jsonl", metrics(2, 0.5))
    assert [row.loss for row in load(run).stages[0].measurements] == [8.0, 0.5, pytest.approx(8 / 3)]


def test_a_torn_row_costs_only_itself(run: Path) -> None:
    with (run / "pretrain" / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "lo')
    assert len(load(run).stages[0].measurements) == 3


def test_a_stage_that_never_started_is_told_as_such(run: Path) -> None:
    assert load(run).stages[1].state == "not started"
    assert "not started" in report.text(load(run))


def test_a_stage_that_was_killed_says_nothing_of_its_end(run: Path) -> None:
    write_rows(run / "pretrain" / "events.jsonl", {"time": 950.0, "event": "resumed"})
    assert load(run).stages[0].state == "ended without a word"


def test_the_text_names_only_places_that_exist(run: Path) -> None:
    (run / "pretrain" / "export").mkdir()
    text = report.text(load(run))
    assert str(run / "pretrain" / "export") in text
    assert str(run / "pretrain" / "checkpoints") not in text


def test_the_page_is_whole_and_needs_no_other_file(run: Path) -> None:
    page = report.html(load(run))
    sources = Attributes(page).values_of("src")
    assert len(sources) == 2
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert not Attributes(page).values_of("href")
    for expected in ("9.000 -&gt; 3.000", "gradients", "512.0 MiB", "interrupted", "not started"):
        assert expected in page


def test_the_page_escapes_what_it_shows(run: Path) -> None:
    write_rows(run / "pretrain" / "events.jsonl", {"time": 1.0, "event": "failed", "message": "<script>alert(1)</script>"})
    page = report.html(load(run))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_the_same_run_makes_the_same_page(run: Path) -> None:
    assert report.html(load(run)) == report.html(load(run))


def test_without_matplotlib_the_page_comes_without_figures_and_says_so(run: Path, monkeypatch) -> None:
    monkeypatch.setattr(report, "_can_draw", lambda: False)
    finding = report.write(load(run))
    assert finding is not None
    assert (finding.code, finding.severity) == ("TRN854", Severity.WARNING)
    assert "No figures" in (run / "report" / "report.html").read_text()
    assert not (run / "report" / "loss.png").exists()


def test_a_folder_that_is_no_run_points_to_one(run: Path) -> None:
    finding = report.load(run.parent)
    assert isinstance(finding, Diagnostic)
    assert finding.code == "TRN858"
    assert finding.help == f"did you mean `{run}`?"


def test_a_long_curve_is_sampled_with_both_its_ends(run: Path) -> None:
    write_rows(run / "pretrain" / "metrics.jsonl", *(metrics(step, 1.0) for step in range(4, 500)))
    rows = report.sampled(load(run).stages[0].measurements)
    assert len(rows) == 12
    assert (rows[0].step, rows[-1].step) == (1, 499)


@pytest.mark.parametrize(("seconds", "told"), [(0, "0s"), (59.6, "1m00s"), (125, "2m05s"), (7620, "2h07m")])
def test_durations(seconds: float, told: str) -> None:
    assert duration(seconds) == told


@pytest.mark.parametrize(("num_bytes", "told"), [(None, "-"), (2**20, "1.0 MiB"), (3 * 2**29, "1.50 GiB")])
def test_sizes(num_bytes: int | None, told: str) -> None:
    assert size(num_bytes) == told


class Attributes(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self._found: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._found += attrs

    def values_of(self, name: str) -> list[str]:
        return [value or "" for found, value in self._found if found == name]
