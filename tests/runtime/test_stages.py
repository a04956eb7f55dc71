from __future__ import annotations

import json
import shutil
from typing import Any

import pytest
from transformers import LlamaConfig, LlamaForCausalLM

pytestmark = pytest.mark.slow


def test_a_stage_starts_from_the_model_and_tokenizer_of_another(workshop: Any) -> None:
    first = workshop.stage("first").finish()
    second = workshop.stage(
        "second",
        model__source="stage",
        model__path="pretrain",
        data__tokenizer={"kind": "stage", "vocab": 512, "path": "pretrain"},
        schedule__total_steps=2,
    )
    shutil.copytree(first.folder / "export", second.folder.parent / "pretrain" / "export")
    second.finish()
    begins, ended = second.events("evaluation")[0], first.events("evaluation")[-1]
    assert begins["step"] == 0
    assert begins["loss"] == pytest.approx(ended["loss"], abs=1e-6)


def test_only_rank_0_reads_the_weights(workshop: Any) -> None:
    # Host memory for one copy of the model a node would not do for one a rank; rank 1 has no weights to read at all.
    elsewhere = """
import os

if os.environ["RANK"] == "1":
    os.environ["TRAINC_DATA_ROOT"] += "/elsewhere"
"""
    changes = {"model__source": "local", "model__path": "weights", "schedule__total_steps": 1}
    stage = workshop.stage("one-reader", workshop.spread(2, "fsdp2", micro=4), script={"preamble": elsewhere}, **changes)
    config = json.loads((stage.bundle / "plan.json").read_text())["model"]["config"]
    model = LlamaForCausalLM(LlamaConfig(**config))
    model.save_pretrained(workshop.root / "weights")
    (workshop.root / "elsewhere" / "weights").mkdir(parents=True)
    shutil.copy(workshop.root / "weights" / "config.json", workshop.root / "elsewhere" / "weights")
    two = stage.finish()
    one = workshop.stage("one-rank", **changes).finish()
    assert two.losses() == pytest.approx(one.losses(), abs=2e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model.config.rope_parameters": {"rope_type": "default", "rope_theta": 500.0}}, "the model's `rope_parameters` is"),
        ({"model.config.rms_norm_eps": 0.01}, "the model's `rms_norm_eps` is 1e-06, the plan was compiled for 0.01"),
        ({"model.config.num_key_value_heads": 4}, "the model's `num_key_value_heads` is 2, the plan was compiled for 4"),
    ],
)
def test_a_model_whose_config_differs_from_the_plan_is_refused(
    workshop: Any, changes: dict[str, Any], message: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("weights")
    base = workshop.stage(folder.name)
    config = json.loads((base.bundle / "plan.json").read_text())["model"]["config"]
    LlamaConfig(**config).save_pretrained(workshop.root / folder.name / "weights")
    done = (
        base.replan(model__source="local", model__path=f"{folder.name}/weights")
        .replan(**{path.replace(".", "__"): value for path, value in changes.items()})
        .run()
    )
    assert done.returncode == 1
    assert message in done.stderr, done.stderr
