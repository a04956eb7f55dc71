from __future__ import annotations

import shutil
from typing import Any

import pytest

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
