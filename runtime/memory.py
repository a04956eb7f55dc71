"""How much memory this rank needed at its peak."""

from __future__ import annotations

from pathlib import Path

import torch

STATUS = Path("/proc/self/status")


class PeakMemory:
    """Peak bytes since `begin`.

    On a GPU: what torch's allocator held at most. On the CPU (Linux): how far the resident set grew at most beyond what it
    was at `begin`, which leaves out the interpreter, its libraries and the tokenizing before.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._before = 0

    def begin(self) -> None:
        """Starts the measurement; called just before the model is built."""
        if self._device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self._device)
            return
        # Writing 5 resets the kernel's record of the peak resident set.
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        self._before = _status_bytes("VmRSS")

    def peak_bytes(self) -> int:
        """The peak so far."""
        if self._device.type == "cuda":
            return torch.cuda.max_memory_allocated(self._device)
        return max(0, _status_bytes("VmHWM") - self._before)


def _status_bytes(name: str) -> int:
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"{STATUS} has no {name}")
