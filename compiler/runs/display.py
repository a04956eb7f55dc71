"""Shows progress on standard error: one live line on a terminal, else a plain line now and then."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from .progress import Progress, line

PLAIN_LINE_SECONDS = 10.0


class Display(Protocol):
    """Something that shows progress and says a sentence now and then."""

    def show(self, progress: Progress) -> None:
        """Shows where a stage stands."""

    def say(self, sentence: str) -> None:
        """Says something that stays."""


class PlainDisplay:
    """Lines for a log: the first progress, then one every ten seconds, and each change of phase."""

    def __init__(self, stream: TextIO, every_seconds: float = PLAIN_LINE_SECONDS) -> None:
        self._stream = stream
        self._every_seconds = every_seconds
        self._shown_at = float("-inf")
        self._shown: Progress | None = None

    def show(self, progress: Progress) -> None:
        """Writes a line if one is due."""
        if progress == self._shown:
            return
        last = self._shown
        new_phase = last is None or (last.stage, last.phase) != (progress.stage, progress.phase)
        if not new_phase and time.monotonic() - self._shown_at < self._every_seconds:
            return
        self._shown, self._shown_at = progress, time.monotonic()
        self.say(f"{progress.stage}: {line(progress)}")

    def say(self, sentence: str) -> None:
        """Writes the sentence."""
        print(sentence, file=self._stream, flush=True)


class LiveDisplay:
    """One line with a bar that is drawn over and over."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}", style="bold", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[line]}", markup=False),
            console=Console(file=stream),
            transient=False,
        )
        self._stage: str | None = None

    @contextmanager
    def running(self) -> Iterator[LiveDisplay]:
        """Draws until the end of the block."""
        with self._bar:
            yield self

    def show(self, progress: Progress) -> None:
        """Draws the line anew; each stage gets its own."""
        if progress.stage != self._stage:
            self._stage = progress.stage
            self._task = self._bar.add_task(progress.stage, total=progress.total_steps, line="")
        self._bar.update(self._task, completed=progress.step or 0, total=progress.total_steps, line=line(progress))

    def say(self, sentence: str) -> None:
        """Prints the sentence above the line."""
        self._bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def display_on(stream: TextIO) -> Iterator[Display]:
    """The display that suits a stream."""
    if stream.isatty():
        with LiveDisplay(stream).running() as live:
            yield live
    else:
        yield PlainDisplay(stream)
