"""Supervised fine-tuning: the loss of one process on every mesh, packed or not, and what becomes of rows of no use."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from rhymes import sentences
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer

pytestmark = pytest.mark.slow

TEMPLATES = Path(__file__).resolve().parents[2] / "stdlib" / "templates"
PAIRS = {
    "objective__name": "sft",
    "data__train": {"kind": "jsonl", "path": "pairs.jsonl", "column": None},
    "data__format": "completion",
    "data__completions_only": True,
}
CHATS = PAIRS | {"data__train": {"kind": "jsonl", "path": "chats.jsonl", "column": None}, "data__format": "chat"}


def pairs(count: int) -> list[dict[str, str]]:
    """Prompts and completions of many lengths."""
    found = sentences(2 * count)
    return [{"prompt": found[2 * place], "completion": " " + found[2 * place + 1][: 6 + 7 * (place % 5)]} for place in range(count)]


def chats(count: int) -> list[dict[str, Any]]:
    roles = ("user", "assistant", "user", "assistant")
    found = sentences(4 * count)
    turns = ([text[:12] for text in found[4 * place : 4 * place + 4]] for place in range(count))
    return [{"messages": [{"role": role, "content": text} for role, text in zip(roles, four, strict=True)]} for four in turns]


def write(path: Path, rows: list[Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="module")
def shop(workshop: Any) -> Any:
    write(workshop.root / "pairs.jsonl", pairs(120))
    write(workshop.root / "chats.jsonl", chats(60))
    return workshop


@pytest.fixture(scope="module")
def alone(shop: Any) -> dict[bool, Any]:
    """The same training in one process, by whether documents are packed."""
    return {packed: shop.stage(f"alone-{packed}", **PAIRS, data__packing=packed).finish() for packed in (False, True)}


@pytest.mark.parametrize(
    ("name", "strategy", "ranks", "axes", "packed"),
    [
        ("ddp", "ddp", 2, {}, False),
        ("fsdp2", "fsdp2", 2, {}, True),
        ("zero2", "zero2", 2, {}, True),
        ("tp", "fsdp2", 1, {"tp": 2}, True),
        ("ulysses", "fsdp2", 1, {"cp": 2}, True),
        ("pp", "fsdp2", 1, {"pp": 2, "split": [1, 1]}, True),
        ("pp-unpacked", "fsdp2", 2, {"pp": 2, "split": [1, 1]}, False),
    ],
)
def test_any_mesh_has_the_losses_of_one_process(
    name: str, strategy: str, ranks: int, axes: dict[str, Any], packed: bool, shop: Any, alone: dict[bool, Any]
) -> None:
    many = shop.stage(name, shop.spread(ranks, strategy, **axes), **PAIRS, data__packing=packed).finish()
    assert many.losses() == pytest.approx(alone[packed].losses(), abs=1e-5)
    held, expected = (stage.events("evaluation")[-1]["loss"] for stage in (many, alone[packed]))
    assert held == pytest.approx(expected, abs=1e-5)


def test_the_loss_is_that_of_completions_alone(shop: Any) -> None:
    """One step over all rows, against the same sum written out for each row by itself."""
    whole = PAIRS | {"data__holdout": 0.0, "evaluation": None, "data__packing": True}
    first = shop.stage("formula", **whole, schedule__total_steps=1, optimizer__lr=0.0, schedule__warmup_steps=0).finish()
    model = AutoModelForCausalLM.from_pretrained(first.folder / "export")
    made = AutoTokenizer.from_pretrained(first.folder / "export")
    samples = first.events("data")[0]["samples"]
    covered = shop.stage(
        "covered",
        shop.spread(1, micro=1) | {"batch.global_size": samples, "batch.accumulation": samples},
        **whole,
        schedule__total_steps=1,
    ).finish()
    total, count = 0.0, 0
    for row in pairs(120):
        prompt, text = made(row["prompt"]).input_ids, made(row["prompt"] + row["completion"]).input_ids
        # The words of rhymes end in letters and completions begin with a space: no token reaches over.
        assert text[: len(prompt)] == prompt
        ids = torch.tensor([*text, made.eos_token_id])
        logits = model(input_ids=ids[None, :-1]).logits[0]
        total += cross_entropy(logits[len(prompt) - 1 :], ids[len(prompt) :], reduction="sum").item()
        count += len(ids) - len(prompt)
    assert covered.losses()[0] == pytest.approx(total / count, abs=1e-5)


def test_conversations_train_and_their_template_is_exported(shop: Any) -> None:
    source = TEMPLATES / "chatml.jinja"
    stage = shop.stage(
        "chat", **CHATS, data__chat_template="chat_template.jinja", data__packing=True, data__sequence=64, schedule__total_steps=2
    )
    shutil.copy(source, stage.bundle / "chat_template.jinja")
    stage.finish()
    (facts,) = stage.events("data")
    assert 50 < facts["documents"] < 60
    assert 0.2 < facts["learnt"] / facts["tokens"] < 0.7
    assert facts["utilisation"] > 0.8
    made = AutoTokenizer.from_pretrained(stage.folder / "export")
    assert made.chat_template.strip() == source.read_text().strip()
    assert made.convert_tokens_to_ids(["<|im_end|>", "<|im_start|>"]) == [1, 2]
    # Generation ends at the end of a turn, or of the text.
    assert AutoModelForCausalLM.from_pretrained(stage.folder / "export").generation_config.eos_token_id == [0, 1]


def test_broken_rows_end_the_run_or_are_counted(shop: Any) -> None:
    rows = pairs(40)
    write(shop.root / "broken.jsonl", [*rows[:20], {"prompt": "Where is the rest?"}, *rows[20:]])
    broken = PAIRS | {"data__train": {"kind": "jsonl", "path": "broken.jsonl", "column": None}, "schedule__total_steps": 1}
    stopped = shop.stage("stopped", **broken).run()
    assert stopped.returncode == 1
    assert "broken.jsonl line 21 has no column `completion`: it has `prompt`" in stopped.stderr
    skipped = shop.stage("skipped", **broken, data__broken="skip").finish()
    assert skipped.events("data")[0]["left_out"] == 1
