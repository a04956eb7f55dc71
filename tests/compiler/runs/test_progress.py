"""The one line that a training shows."""

import io
from pathlib import Path

from trainc.compiler.runs.display import LiveDisplay, PlainDisplay, display_on
from trainc.compiler.runs.progress import Progress, after_event, after_metrics, line
from trainc.compiler.runs.rows import RowTail

STARTED = {"event": "started", "total_steps": 100}


def metrics(step: int) -> dict[str, float]:
    return {"step": step, "loss": 3.14159, "tokens_per_second": 14800.4, "step_time_seconds": 0.5}


def test_before_the_first_row_the_phase_is_told() -> None:
    assert line(Progress("pretrain")) == "starting"
    assert line(after_event(Progress("pretrain"), STARTED, 0.0)) == "preparing"


def test_the_line_tells_step_loss_held_out_loss_speed_and_time_left() -> None:
    progress = after_event(after_event(Progress("pretrain"), STARTED, 0.0), {"event": "evaluation", "step": 0, "loss": 7.6}, 0.0)
    progress = after_metrics(progress, metrics(10), seconds=100.0)
    assert line(progress) == "step 10/100  loss 3.142  held-out 7.600  14,800 tokens/s  45s left"


def test_the_time_left_follows_the_clock_which_counts_evaluations_too() -> None:
    progress = after_event(Progress("pretrain"), STARTED, 0.0)
    progress = after_metrics(progress, metrics(10), seconds=100.0)
    progress = after_metrics(progress, metrics(20), seconds=120.0)
    assert progress.seconds_left == 160.0


def test_a_resumed_stage_counts_from_its_checkpoint_and_passes_over_old_rows() -> None:
    progress = after_event(Progress("pretrain"), STARTED, 0.0)
    progress = after_event(progress, {"event": "resumed", "step": 50}, 10.0)
    progress = after_metrics(progress, metrics(50), 10.0)
    assert progress.loss is None
    assert after_metrics(progress, metrics(60), 30.0).seconds_left == 80.0


def test_a_loss_that_is_no_number_is_shown_as_it_is() -> None:
    assert "loss nan" in line(after_metrics(Progress("pretrain"), {"step": 1, "loss": float("nan")}, 0.0))


def test_the_end_of_a_stage_is_told() -> None:
    progress = after_metrics(Progress("pretrain"), metrics(4), 0.0)
    assert line(after_event(progress, {"event": "finished"}, 9.0)).endswith("finished")


def test_without_a_terminal_a_line_comes_now_and_then_and_at_each_change() -> None:
    stream = io.StringIO()
    display = PlainDisplay(stream, every_seconds=3600)
    progress = after_event(Progress("pretrain"), STARTED, 0.0)
    for step in range(1, 50):
        progress = after_metrics(progress, metrics(step), float(step))
        display.show(progress)
    display.show(after_event(progress, {"event": "finished"}, 9.0))
    display.show(Progress("align"))
    shown = [text.split("  ")[0] for text in stream.getvalue().splitlines()]
    assert shown == ["pretrain: step 1/100", "pretrain: step 49/100", "align: starting"]


def test_on_a_terminal_one_line_is_drawn() -> None:
    stream = io.StringIO()
    stream.isatty = lambda: True
    with display_on(stream) as display:
        assert isinstance(display, LiveDisplay)
        display.show(after_metrics(after_event(Progress("pretrain"), STARTED, 0.0), metrics(10), 0.0))
        display.say("a sentence [with brackets]")
    assert "a sentence [with brackets]\n" in stream.getvalue()


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1}\n{"step": 2}\n')
    tail = RowTail(path)
    (tmp_path / "shorter").write_text('{"step": 1}\n')
    (tmp_path / "shorter").replace(path)
    with path.open("a") as file:
        file.write('{"step": 2}\n')
    assert tail.new_rows() == ({"step": 1}, {"step": 2})


def test_a_row_that_is_still_being_written_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1}\n')
    tail = RowTail(path)
    with path.open("a") as file:
        file.write('{"step": 2}\n{"st')
        file.flush()
        assert tail.new_rows() == ({"step": 2},)
        file.write('ep": 3}\n')
    assert tail.new_rows() == ({"step": 3},)
    assert tail.new_rows() == ()
