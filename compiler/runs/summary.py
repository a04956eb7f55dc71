"""A run's outcome as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .record import RunRecord, StageRecord
from .wording import MISSING, duration, fixed, size

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

STAGE_FOLDERS = ("export", "checkpoints", "profile", "flight", "log")


def print_summary(record: RunRecord, console: Console) -> None:
    """Prints what came of each stage, and where everything lies."""
    for part in _parts(record):
        console.print(part, soft_wrap=True)


def text(record: RunRecord) -> str:
    """The summary without colour, for a file or a pipe."""
    from io import StringIO

    from rich.console import Console

    stream = StringIO()
    print_summary(record, Console(file=stream, width=120, color_system=None))
    return stream.getvalue()


def held_out(stage: StageRecord) -> str:
    """The first and the last held-out loss."""
    if not stage.evaluations:
        return MISSING
    return f"{fixed(stage.evaluations[0].loss)} -> {fixed(stage.evaluations[-1].loss)}"


def perplexity(stage: StageRecord) -> str:
    """The first and the last one of held-out tokens."""
    if not stage.evaluations:
        return MISSING
    return f"{fixed(stage.evaluations[0].perplexity, 1)} -> {fixed(stage.evaluations[-1].perplexity, 1)}"


def best(stage: StageRecord) -> str:
    """The held-out loss of what was exported, where that is the best there was."""
    return f"{fixed(stage.best.loss)}, step {stage.best.step:,}" if stage.best else MISSING


def steps(stage: StageRecord) -> str:
    """The last logged step, of how many."""
    last = stage.measurements[-1].step if stage.measurements else 0
    end = ", stopped early" if stage.stopped_early else ""
    return (f"{last:,} of {stage.total_steps:,}" if stage.total_steps else f"{last:,}") + end


def memory_note(stage: StageRecord) -> str:
    """What has to be known to compare the two memory figures; empty where nothing has."""
    if stage.device != "cpu" or stage.measured_peak_bytes is None:
        return ""
    return "on the CPU the measured peak is how far a rank's process grew from the building of the model on"


def places(record: RunRecord) -> Iterator[tuple[str, Path]]:
    """What lies where, of what is there."""
    for stage in record.stages:
        yield from ((f"{stage.name}: {what}", stage.folder / what) for what in STAGE_FOLDERS)
    yield "loss curve", record.folder / "report" / "loss.png"
    yield "report", record.folder / "report" / "report.html"


def _parts(record: RunRecord) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(f"{record.pipeline}: {record.folder}", style="bold")
    yield _table(record.stages)
    for note in sorted({memory_note(stage) for stage in record.stages} - {""}):
        yield Text(note, style="dim")
    present = [(what, place) for what, place in places(record) if place.exists()]
    width = max((len(what) for what, _ in present), default=0)
    # Plain lines, not a table: a path that a table folds or cuts cannot be copied.
    for what, place in present:
        yield Text(f"{what:<{width}}  {place}")


def _table(stages: tuple[StageRecord, ...]) -> Table:
    """A column a stage, so that one stage fits the narrowest terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("stage")
    for stage in stages:
        table.add_column(Text(stage.name), justify="right")
    for label, cells in _rows(stages):
        table.add_row(label, *cells)
    return table


def _rows(stages: tuple[StageRecord, ...]) -> Iterator[tuple[str, list[str]]]:
    yield "state", [stage.state for stage in stages]
    yield "steps", [steps(stage) for stage in stages]
    if any(stage.skipped_steps for stage in stages):
        yield "steps left out", [f"{stage.skipped_steps:,}" for stage in stages]
    yield "held-out loss", [held_out(stage) for stage in stages]
    yield "perplexity", [perplexity(stage) for stage in stages]
    if any(stage.best for stage in stages):
        yield "exported, held-out loss", [best(stage) for stage in stages]
    yield "tokens/s", [fixed(stage.tokens_per_second, 0) for stage in stages]
    yield "time", [duration(stage.wall_seconds) for stage in stages]
    yield "peak memory a rank, predicted", [size(stage.predicted_peak_bytes) for stage in stages]
    yield "peak memory a rank, measured", [size(stage.measured_peak_bytes) for stage in stages]
