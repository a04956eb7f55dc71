"""Lets loops in different processes take turns, a block of steps each, and times the blocks.

Each loop says where its steps begin; what lies between the first steps of two blocks is a block's time, whatever the loop does
there. While it is another loop's turn, a loop waits in a read from the store and takes no time of the machine.
"""

from __future__ import annotations

import json
import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from trainc.runtime.memory import PeakMemory

PATIENCE = timedelta(minutes=10)


def open_store(port: int, leads: bool) -> dist.TCPStore:
    """The store of a comparison, which `leads` holds."""
    return dist.TCPStore("127.0.0.1", port, is_master=leads, timeout=PATIENCE, wait_for_workers=False)


class Turns:
    """One loop's side, in each of its processes."""

    def __init__(self, name: str, block: int, device: torch.device) -> None:
        self._store = open_store(int(os.environ["BENCH_PORT"]), leads=False)
        self._name, self._block, self._device = name, block, device
        self._leads = os.environ.get("RANK", "0") == "0"
        self._memory = PeakMemory(device)
        self._memory.begin()
        self._steps = 0
        self._began = (0.0, 0.0)

    def step(self) -> None:
        """A step begins."""
        if self._steps % self._block == 0:
            turn = self._steps // self._block
            if turn:
                self._report(turn - 1)
            self._store.get(f"{self._name}/{turn}/go")
            self._began = _now()
        self._steps += 1

    def _report(self, turn: int) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
        if self._leads:
            lasted = [now - began for now, began in zip(_now(), self._began, strict=True)]
            self._store.set(f"{self._name}/{turn}/seconds", json.dumps(lasted))

    def end(self, losses: list[float]) -> None:
        """All steps are over; `losses` are those that the loop has read."""
        if self._leads:
            found = {"losses": losses, "peak_bytes": self._memory.peak_bytes()}
            self._store.set(f"{self._name}/end", json.dumps(found))


def _now() -> tuple[float, float]:
    """The clock, and the CPU time of all threads of this process."""
    return time.perf_counter(), time.process_time()
