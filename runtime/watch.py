"""Notices that ranks wait for one that hangs or is gone, and finds out which.

A rank only notes where it is; a thread beside it does the rest, so that training never waits for the watch, and a rank whose main
thread sleeps still answers. The thread looks into torch's flight recorder whether a collective has lasted longer than the stage's
timeout. Then it asks all ranks, through the store, where they are and whom they wait for. The recorder covers NCCL and gloo alike.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch.distributed as dist
from torch._C import _distributed_c10d as c10d

from .blame import Answer, name_the_cause

# Between two looks; how many of them a rank gets to answer; and how many the rank that asks gets to speak.
LOOK_SECONDS = 2.0
PATIENCE_LOOKS = 3
SPEAKER_LOOKS = 9
# What gloo and the store say of a rank that closed its connection, or that let one wait too long.
TIMED_OUT = ("Timed out waiting", "Socket Timeout")
SIGNS = ("Connection closed by peer", "Connection reset", "Broken pipe", *TIMED_OUT)

log = logging.getLogger("trainc.watch")


def concerns_another_rank(crash: Exception) -> bool:
    """Whether an error only says that another rank ended, or kept this one waiting."""
    return isinstance(crash, RuntimeError) and any(sign in str(crash) for sign in SIGNS)


@dataclass(frozen=True, slots=True)
class Where:
    """What a rank is doing, since when (seconds of the epoch); `step` is the one it works on, 0 before the first."""

    step: int
    phase: str
    since: float


class Watch:
    """One rank's view of the others."""

    def __init__(self, rank: int, world_size: int) -> None:
        self._rank = rank
        self._ranks = range(world_size)
        self._where = Where(0, "start", time.time())
        self._main = threading.main_thread().ident or 0
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._answered = False
        self._asks = False
        self._thread: threading.Thread | None = None

    def begin(self, store: dist.Store, flight: Path, timeout_seconds: float, end: Callable[[str], None]) -> None:
        """Starts to look; `end` ends the process with a sentence. A rank alone waits for nobody."""
        if len(self._ranks) == 1:
            return
        # A connection of its own: the main thread may be waiting in the other.
        self._store = store.clone()
        self._flight = flight / f"rank-{self._rank}"
        self._timeout = timeout_seconds
        self._look_seconds = min(LOOK_SECONDS, timeout_seconds / 4)
        self._end = end
        self._thread = threading.Thread(target=self._look_on, name="watch", daemon=True)
        self._thread.start()

    @property
    def step(self) -> int:
        """The step that this rank works on, 0 before the first."""
        return self._where.step

    def at(self, step: int, phase: str) -> None:
        """Notes where this rank is; costs an assignment."""
        self._where = Where(step, phase, time.time())

    def explain(self, crash: Exception) -> Exception:
        """What to raise instead of an error that only says that another rank is gone."""
        if self._thread is None:
            return crash
        try:
            return self._inquire(hangs=any(sign in str(crash) for sign in TIMED_OUT)) or crash
        except RuntimeError as fault:
            log.warning("the store is gone too: %s", fault)
            return crash

    def leave(self, interrupted: bool = False) -> None:
        """Ends the watch; the others learn whether this rank was asked to stop."""
        self._over.set()
        if self._thread is None:
            return
        try:
            if interrupted:
                self._store.set(f"answer/{self._rank}", self._word(interrupted=True))
            if self._asks:
                self._store.set("inquiry/over", b"1")
        except RuntimeError as fault:
            log.warning("the store is gone: %s", fault)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=self._look_seconds)

    def _look_on(self) -> None:
        try:
            while not self._over.wait(self._look_seconds):
                self._look()
        except RuntimeError as fault:
            # The store ends with the process that holds it; what became of that one the main thread learns by itself.
            log.warning("the watch ends: %s", fault)

    def _look(self) -> None:
        self._store.set(f"where/{self._rank}", self._word())
        if self._store.check(["inquiry"]):
            self._answer()
            # Whoever asked has spoken; a rank that sleeps would keep the launcher waiting.
            if self._store.check(["inquiry/over"]):
                self._end("another rank ended the run")
            return
        waits = waiting(self._where.since)
        if waits is not None and waits[1] > self._timeout:
            cause = self._inquire(hangs=True)
            if cause is not None:
                self._end(str(cause))

    def _inquire(self, hangs: bool) -> Exception | None:
        """Asks every rank, unless another one asks already: that one will speak, and None is what there is to say here."""
        first = self._store.add("inquiry", 1) == 1
        self._answer()
        if not first:
            self._until(lambda: self._store.check(["inquiry/over"]), SPEAKER_LOOKS)
            return None
        self._asks = True
        self._until(lambda: self._store.check([f"answer/{rank}" for rank in self._ranks]), PATIENCE_LOOKS)
        return name_the_cause({rank: self._word_of(rank) for rank in self._ranks}, hangs)

    def _until(self, done: Callable[[], bool], looks: int) -> None:
        deadline = time.monotonic() + looks * self._look_seconds
        while not done() and time.monotonic() < deadline:
            time.sleep(self._look_seconds / 10)

    def _word_of(self, rank: int) -> Answer:
        """A rank's answer, or, where there is none, what it wrote at its last look."""
        for key in (f"answer/{rank}", f"where/{rank}"):
            if self._store.check([key]):
                return Answer(**json.loads(self._store.get(key)), answers=key.startswith("answer"))
        return Answer(0, "start", None, 0.0, None, interrupted=False, answers=False)

    def _answer(self) -> None:
        """Says where this rank is, and leaves its flight recorder and the stack of its main thread behind; once."""
        with self._lock:
            if self._answered:
                return
            self._answered = True
        self._store.set(f"answer/{self._rank}", self._word())
        frame = sys._current_frames().get(self._main)
        log.info("asked where it is: %s\n%s", self._where, "".join(traceback.format_stack(frame)))
        try:
            self._flight.parent.mkdir(exist_ok=True)
            self._flight.write_bytes(c10d._dump_fr_trace())
        except OSError as fault:
            log.warning("cannot write %s: %s", self._flight, fault.strerror)

    def _word(self, interrupted: bool = False) -> str:
        where, frame = self._where, sys._current_frames().get(self._main)
        waits = waiting(where.since) or (None, 0.0)
        if waits[0] is None and frame is not None and "/torch/distributed/" in frame.f_code.co_filename:
            # Between two ranks, as from one group of layers to the next, gloo's recorder notes nothing.
            waits = (frame.f_code.co_name, time.time() - where.since)
        place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} in {frame.f_code.co_name}" if frame else None
        word = {"step": where.step, "phase": where.phase, "place": place, "interrupted": interrupted}
        return json.dumps({**word, "waits_in": waits[0], "waited_seconds": waits[1]})


def waiting(since: float) -> tuple[str, float] | None:
    """The oldest collective begun after `since` that is not over, by name, and how many seconds it has lasted."""
    content: dict[str, Any] = json.loads(c10d._dump_fr_trace_json(includeCollectives=True, onlyActive=True))
    begun = {
        entry["time_created_ns"] / 1e9: entry["profiling_name"] for entry in content.get("entries", []) if not entry["retired"]
    }
    mine = [moment for moment in begun if moment >= since]
    return (begun[min(mine)].partition(":")[2], time.time() - min(mine)) if mine else None
