"""Traces of chosen steps by torch's profiler, for chrome://tracing and Perfetto."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import torch
from torch.profiler import ProfilerActivity, profile

from .errors import StageError
from .metrics import Meter
from .stage import Run


class Tracing:
    """The profiler beside the loop: `before` and `after` each step. Starting it and writing is no part of a step's time.

    A run that ends inside the traced steps leaves no trace; one resumed among them traces those that are left.
    """

    def __init__(self, run: Run, meter: Meter) -> None:
        chosen = run.plan.logging.profile
        self._steps = range(chosen.step, chosen.step + chosen.count) if chosen else range(0)
        self._run = run
        self._meter = meter
        self._profiler: profile | None = None
        self._began = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        if self._profiler is not None:
            self._profiler.stop()

    def before(self, step: int) -> None:
        """Starts to trace where a chosen step comes."""
        if step not in self._steps or self._profiler is not None:
            return
        with self._meter.aside():
            activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if self._run.device.type == "cuda" else [])]
            self._profiler = profile(activities=activities)
            self._profiler.start()
            self._began = step

    def after(self, step: int) -> None:
        """Writes the trace after the last chosen step."""
        if self._profiler is None:
            return
        if step != self._steps[-1]:
            self._profiler.step()
            return
        with self._meter.aside():
            if self._run.device.type == "cuda":
                torch.cuda.synchronize(self._run.device)
            self._profiler.stop()
            self._write(self._profiler)
            self._profiler = None
        if self._run.leads:
            self._run.folder.event("profiled", first_step=self._began, last_step=step, path="profile")

    def _write(self, profiler: profile) -> None:
        path = self._run.folder.profile / f"rank-{self._run.rank}.json.gz"
        try:
            path.parent.mkdir(exist_ok=True)
            profiler.export_chrome_trace(str(path))
        except OSError as fault:
            raise StageError(f"cannot write the trace {path}: {fault.strerror}") from fault
