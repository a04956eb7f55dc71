"""Tells how a run went: as text, as a page that needs no other file, and as a picture of its loss."""

from __future__ import annotations

import base64
import importlib.util
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from trainc.dsl.diagnostics import Diagnostic, Severity

from . import faults, summary, wording
from .record import Measurement, RunRecord, StageRecord, load

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["RunRecord", "html", "load", "text", "write"]

text = summary.text
SAMPLED_ROWS = 12


def html(record: RunRecord) -> str:
    """The whole report as one page, its figures inline; without matplotlib it says that it has no figures."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        duration=wording.duration, size=wording.size, fixed=wording.fixed, rough=wording.rough, moment=_moment
    )
    template = environment.get_template("report.html.j2")
    return template.render(run=record, stages=[_StageView(record, stage) for stage in record.stages])


def write(record: RunRecord) -> Diagnostic | None:
    """Writes report/report.html and report/loss.png into the run folder; tells what prevented a part of it."""
    folder = record.folder / "report"
    try:
        folder.mkdir(exist_ok=True)
        (folder / "report.html").write_text(html(record), encoding="utf-8")
        if not _can_draw():
            return faults.interpreter_lacks(sys.executable, ["matplotlib"], Severity.WARNING)
        from . import plot

        (folder / "loss.png").write_bytes(plot.png(plot.loss_figure(record)))
    except OSError as fault:
        return faults.runs_folder_not_writable(folder, fault.strerror or str(fault))
    return None


class _StageView:
    """What the page shows of a stage, decided here so that the template only prints."""

    def __init__(self, record: RunRecord, stage: StageRecord) -> None:
        self.record = stage
        self.steps = summary.steps(stage)
        self.held_out = summary.held_out(stage)
        self.perplexity = summary.perplexity(stage)
        self.memory_note = summary.memory_note(stage)
        self.rows = sampled(stage.measurements)
        self.memory = _memory_bars(stage)
        self.loss_figure, self.throughput_figure = _figures(record, stage)


@dataclass(frozen=True, slots=True)
class _MemoryBar:
    name: str
    num_bytes: int | None
    percent: float
    kind: str


def _memory_bars(stage: StageRecord) -> list[_MemoryBar]:
    terms = sorted(stage.predicted_terms.items(), key=lambda term: (-term[1], term[0]))
    predicted, measured = stage.predicted_peak_bytes, stage.measured_peak_bytes
    rows = [*((name, size, "predicted") for name, size in terms)]
    peaks = [("all predicted", predicted, "predicted"), ("measured", measured, "measured")]
    scale = max(predicted or 0, measured or 0, 1)
    return [_MemoryBar(name, size, 100 * (size or 0) / scale, kind) for name, size, kind in [*rows, *peaks]]


def sampled(rows: tuple[Measurement, ...], count: int = SAMPLED_ROWS) -> tuple[Measurement, ...]:
    """So many rows, evenly spread, always with the first and the last."""
    if len(rows) <= count:
        return rows
    return tuple(rows[round(index * (len(rows) - 1) / (count - 1))] for index in range(count))


def _figures(record: RunRecord, stage: StageRecord) -> tuple[str | None, str | None]:
    if not stage.measurements or not _can_draw():
        return None, None
    from . import plot

    return _inline(plot.loss_figure(replace(record, stages=(stage,)))), _inline(plot.throughput_figure(stage))


def _inline(figure: Figure) -> str:
    from . import plot

    return "data:image/svg+xml;base64," + base64.b64encode(plot.svg(figure)).decode("ascii")


def _can_draw() -> bool:
    return importlib.util.find_spec("matplotlib") is not None


def _moment(seconds: float | None) -> str:
    return wording.MISSING if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
