"""Random states from a checkpoint, on another kind of device than the one that wrote them."""

from __future__ import annotations

import pytest
import torch
from trainc.runtime.checkpoint import state


def test_a_gpu_takes_no_state_from_what_a_cpu_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a GPU torch only notes the call and would fail at the first use of one.
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda state, device: pytest.fail(f"{device} gets {len(state)} bytes"))
    drawn = torch.get_rng_state()
    expected = torch.rand(3)
    state._restore_generators({"torch": drawn, "cuda": torch.empty(0)}, torch.device("cuda"))
    assert torch.equal(torch.rand(3), expected)
