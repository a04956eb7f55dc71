"""DeepSpeed's three stages train like one process of torch's, resume exactly, and export what transformers loads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM
from uneven import UNEVEN

pytest.importorskip("deepspeed", reason="deepspeed is not installed")

pytestmark = pytest.mark.slow

LENGTH = {
    "schedule__total_steps": 8,
    "checkpoint__every_steps": 4,
    "evaluation": {"every_steps": 4, "batches": 2, "patience": None},
}
ON_HOST = {"offload_optimizer": "cpu", "offload_parameters": "cpu"}


@cache
def builds(name: str) -> bool:
    """Whether DeepSpeed can compile one of its extensions here; it then has, for minutes of a compiler are no part of a run."""
    from deepspeed.ops import op_builder

    if not shutil.which("g++") or not getattr(op_builder, name)().is_compatible(verbose=False):
        return False
    program = f"from deepspeed.ops.op_builder import {name}; {name}().load(verbose=False)"
    # DeepSpeed looks for ninja on the path.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"DS_ACCELERATOR": "cpu", "PATH": path}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)
    return True


@pytest.fixture(scope="module")
def reference(workshop: Any) -> Any:
    return workshop.stage("reference", workshop.spread(1, micro=2), script=UNEVEN, **LENGTH).finish()


def spread(workshop: Any, name: str, strategy: str, zero: dict[str, str] | None = None, ranks: int = 2, **changes: Any) -> Any:
    where = workshop.spread(ranks, strategy, micro=1)
    return workshop.stage(name, where, script=UNEVEN, zero=zero or {}, **{**LENGTH, **changes}).finish()


def held_out(stage: Any) -> list[float]:
    return [row["loss"] for row in stage.events("evaluation")]


def norms(stage: Any) -> list[float]:
    return [row["grad_norm"] for row in stage.metrics()]


def assert_equal(stage: Any, reference: Any) -> None:
    assert len(stage.losses()) == 8
    assert stage.losses() == pytest.approx(reference.losses(), abs=1e-5)
    assert norms(stage) == pytest.approx(norms(reference), abs=1e-4)
    assert held_out(stage) == pytest.approx(held_out(reference), abs=1e-5)


@pytest.fixture(scope="module")
def zero2(workshop: Any) -> Any:
    return spread(workshop, "zero2", "zero2")


@pytest.fixture(scope="module")
def zero3(workshop: Any) -> Any:
    return spread(workshop, "zero3", "zero3", recompute="full")


def test_zero2_equals_one_process(zero2: Any, reference: Any) -> None:
    assert_equal(zero2, reference)


def test_zero3_with_recomputation_equals_one_process(zero3: Any, reference: Any) -> None:
    assert_equal(zero3, reference)


@pytest.mark.parametrize(
    ("strategy", "zero"),
    [("zero2", {"offload_optimizer": "cpu"}), ("zero3", ON_HOST)],
    ids=["optimizer", "parameters"],
)
def test_offloading_to_the_host_changes_nothing(workshop: Any, reference: Any, strategy: str, zero: dict[str, str]) -> None:
    if not builds("CPUAdamBuilder"):
        pytest.skip("no compiler for DeepSpeed's CPU Adam")
    assert_equal(spread(workshop, f"{strategy}-host", strategy, zero), reference)


def test_offloading_to_a_disk_changes_nothing(workshop: Any, reference: Any) -> None:
    if not builds("AsyncIOBuilder") or not builds("CPUAdamBuilder"):
        pytest.skip("libaio or a compiler is not installed")
    path = str(workshop.root / "disk")
    zero = {"offload_optimizer": "nvme", "offload_parameters": "nvme", "nvme_path": path}
    assert_equal(spread(workshop, "zero3-disk", "zero3", zero), reference)


LOOKS_AT_DTYPES = {
    "before_fit": """
    inner = network.model

    def look(module, inputs, output):
        assert output.dtype == module.weight.dtype == torch.bfloat16, output.dtype
        assert inner.model.rotary_emb.inv_freq.dtype == torch.float32

    inner.model.norm.register_forward_hook(look)
""",
    "preamble": "import torch\n",
}


@pytest.mark.parametrize("strategy", ["zero2", "zero3"])
def test_bf16_is_computed_and_positions_stay_exact(workshop: Any, strategy: str) -> None:
    where = workshop.spread(2, strategy, micro=4)
    settings = {"precision__compute": "bf16", "schedule__total_steps": 1, "evaluation": None}
    workshop.stage(f"{strategy}-bf16", where, script=LOOKS_AT_DTYPES, **settings).finish()


@pytest.mark.parametrize("strategy", ["zero2", "zero3"])
def test_a_resumed_run_continues_bit_for_bit(workshop: Any, request: pytest.FixtureRequest, strategy: str) -> None:
    straight = request.getfixturevalue(strategy)
    resumed = straight.copy(workshop.root / f"{strategy}-resumed")
    shutil.rmtree(resumed.folder / "checkpoints" / "step-00000008")
    shutil.rmtree(resumed.folder / "export")
    resumed.finish()
    assert resumed.events("resumed")[0]["step"] == 4
    assert resumed.losses() == straight.losses()
    expected = straight.weights()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in resumed.weights().items())


@pytest.mark.parametrize("strategy", ["zero2", "zero3"])
def test_another_number_of_ranks_continues_closely(workshop: Any, request: pytest.FixtureRequest, strategy: str) -> None:
    straight = request.getfixturevalue(strategy)
    alone = straight.copy(workshop.root / f"{strategy}-alone").respread(workshop.spread(1, strategy, micro=2))
    shutil.rmtree(alone.folder / "checkpoints" / "step-00000008")
    alone.finish()
    assert alone.events("resumed")[0]["step"] == 4
    assert alone.losses() == pytest.approx(straight.losses(), abs=1e-5)


def test_a_checkpoint_of_another_engine_is_refused(workshop: Any, reference: Any) -> None:
    other = reference.copy(workshop.root / "other-engine").respread(workshop.spread(1, "zero2", micro=2))
    done = other.run()
    assert done.returncode == 1
    assert "was written by another plan: form of the checkpoint changed since" in done.stderr


@pytest.mark.parametrize("strategy", ["zero2", "zero3"])
def test_the_export_is_the_one_of_one_process(reference: Any, request: pytest.FixtureRequest, strategy: str) -> None:
    stage = request.getfixturevalue(strategy)
    expected = reference.weights()
    assert stage.weights().keys() == expected.keys()
    assert all(torch.allclose(tensor, expected[name], atol=1e-4) for name, tensor in stage.weights().items())
    model = AutoModelForCausalLM.from_pretrained(stage.folder / "export")
    assert model.num_parameters() == 106_816
