"""Compiled layers: the same losses, and the same names of weights."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from trainc.runtime.compilation import refuse_without_compiler
from trainc.runtime.errors import StageError

# Compiling in the process itself needs less of a small machine than its usual pool of workers.
ALONE = {"TORCHINDUCTOR_COMPILE_THREADS": "1"}
SHORT = {"schedule__total_steps": 3, "evaluation": None}
REPORTED = {
    "before_fit": """
    import logging
    import torch

    torch._dynamo.utils.counters.clear()
    original_fit = trainer.fit

    def fit(*arguments):
        original_fit(*arguments)
        counted = torch._dynamo.utils.counters
        logging.getLogger("test").info("graphs %d, breaks %d", counted["stats"]["unique_graphs"], len(counted["graph_break"]))

    trainer.fit = fit
"""
}


def test_a_missing_compiler_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "a-compiler-that-is-not-there")
    with pytest.raises(StageError, match="needs a C\\+\\+ compiler and `a-compiler-that-is-not-there`"):
        refuse_without_compiler(torch.device("cpu"), "compiling layers", "compile = false")


@pytest.fixture(scope="module")
def reference(workshop: Any) -> Any:
    return workshop.stage("reference", workshop.spread(1, micro=2), **SHORT).finish()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "ranks", "strategy", "recompute", "axes"),
    [
        ("ddp", 2, "ddp", "none", {}),
        ("fsdp2", 2, "fsdp2", "full", {}),
        ("tp", 1, "fsdp2", "selective", {"tp": 2, "sequence_parallel": True}),
        ("ring", 1, "fsdp2", "none", {"cp": 2, "cp_method": "ring"}),
    ],
)
def test_compiled_layers_compute_what_others_do(
    workshop: Any, reference: Any, name: str, ranks: int, strategy: str, recompute: str, axes: dict[str, int | bool | str]
) -> None:
    where = workshop.spread(ranks, strategy, micro=2, **axes)
    stage = workshop.stage(name, where, script=REPORTED, compile="default", recompute=recompute, **SHORT).finish(**ALONE)
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-5)
    # A sharded model writes a tied head twice.
    assert set(stage.weights()) - {"lm_head.weight"} == set(reference.weights())
    # One graph, and no breaks, for all layers: they are compiled, and equal ones share what was compiled.
    assert "graphs 1, breaks 0" in stage.logs(), [line for line in stage.logs().splitlines() if "graphs" in line]
