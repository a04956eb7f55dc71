"""Draws a run's curves with matplotlib, without a display."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from .record import RunRecord, StageRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TRAINING, HELD_OUT, LEARNING_RATE = "#4c8dd6", "#e0842a", "#8b93a1"
# A grey that can be read on white as well as on black, for figures without a background of their own.
INK = "#7d8590"


def loss_figure(record: RunRecord) -> Figure:
    """Training and held-out loss of each stage, with the learning rate small below."""
    from matplotlib.figure import Figure

    stages = record.stages
    figure = Figure(figsize=(8, 4.6 * len(stages)), layout="constrained")
    panels = figure.subplots(2 * len(stages), 1, squeeze=False, height_ratios=[4, 1] * len(stages))
    for index, stage in enumerate(stages):
        _draw_loss(panels[2 * index][0], stage)
        _draw_series(panels[2 * index + 1][0], stage, "lr", "learning rate", LEARNING_RATE)
        panels[2 * index][0].sharex(panels[2 * index + 1][0])
        panels[2 * index][0].tick_params(labelbottom=False)
    return figure


def throughput_figure(stage: StageRecord) -> Figure:
    """Tokens a second and the norm of the gradient, step by step."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    _draw_series(above, stage, "tokens_per_second", "tokens/s", TRAINING)
    above.set_xlabel("")
    _draw_series(below, stage, "grad_norm", "gradient norm", HELD_OUT)
    return figure


def png(figure: Figure) -> bytes:
    """The figure as PNG on white."""
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=130)
    return stream.getvalue()


def svg(figure: Figure) -> bytes:
    """The figure as SVG without a background, in ink for light and dark pages."""
    from matplotlib import rc_context

    for axes in figure.axes:
        _recolour(axes)
    stream = BytesIO()
    with rc_context({"svg.hashsalt": "trainc"}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    return stream.getvalue()


def _draw_loss(axes: Axes, stage: StageRecord) -> None:
    rows = [(row.step, row.loss) for row in stage.measurements if row.loss is not None]
    axes.plot([step for step, _ in rows], [loss for _, loss in rows], color=TRAINING, linewidth=1.2, label="training")
    if stage.evaluations:
        axes.plot(
            [one.step for one in stage.evaluations],
            [one.loss for one in stage.evaluations],
            color=HELD_OUT,
            marker="o",
            markersize=4,
            linewidth=1,
            label="held-out",
        )
    axes.set_title(stage.name, loc="left", fontsize=11)
    axes.set_ylabel("loss")
    axes.legend(frameon=False)
    _plain(axes)


def _draw_series(axes: Axes, stage: StageRecord, field: str, label: str, colour: str) -> None:
    rows = [(row.step, value) for row in stage.measurements if (value := getattr(row, field)) is not None]
    axes.plot([step for step, _ in rows], [value for _, value in rows], color=colour, linewidth=1.2)
    axes.set_ylabel(label, fontsize=8)
    axes.set_xlabel("step")
    axes.tick_params(axis="y", labelsize=8)
    axes.set_ylim(bottom=0)
    _plain(axes)


def _plain(axes: Axes) -> None:
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _recolour(axes: Axes) -> None:
    from matplotlib.text import Text

    axes.tick_params(colors=INK)
    for text in axes.findobj(Text):
        text.set_color(INK)
    for spine in axes.spines.values():
        spine.set_edgecolor(INK)
