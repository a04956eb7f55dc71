"""What `trainc diff` says of a change is what the runtime does when a run is resumed with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from trainc.compiler.diff.changes import differences
from trainc.compiler.driver import analyse
from trainc.compiler.effect import Effect, worst
from trainc.compiler.planfile import plan_json
from trainc.compiler.schema import Record
from trainc.runtime import planfile
from trainc.runtime.checkpoint import state
from trainc.runtime.data import making
from trainc.runtime.data.formats import Template

SPEC = """
import std.gpus
cluster here { gpu = gpus.host, nodes = 1, gpus_per_node = 2 }
mesh spread { cluster = here, dp_replicate = 1, dp_shard = 2 }
precision used { compute = fp32, params = fp32, reduce = fp32 }
model small {
  source = random
  architecture { family = llama, layers = 2, hidden = 64, ffn = 128, heads = 4, kv_heads = 4, vocab = 512, max_sequence = 64,
                 rope_theta = 10000.0, norm_epsilon = 1e-5 }
  attention = sdpa
  tokenizer = bpe
}
data corpus { train = text { path = "corpus/*.txt" }, holdout = 10%, sequence = 32,
              shuffle = true, seed = 0, workers = 0, packing = false }
stage run {
  model = small, data = corpus, mesh = spread, precision = used, strategy = fsdp2 { reshard_after_forward = true }
  batch { global = 8, micro = 2 }
  optimizer = adamw { lr = 1e-3, betas = [0.9, 0.95], eps = 1e-8, weight_decay = 0.1 }
  schedule = cosine { warmup = 2 steps, floor = 10% }
  duration = 100 steps, clip = 1.0, recompute = none, seed = 0, deterministic = false
  eval { every = 5 steps, batches = 2 }
  checkpoint { every = 5 steps, keep = 2 }
  logging { every = 1 steps, tensorboard = true }
}
"""

ADAMW = "optimizer = adamw { lr = 1e-3, betas = [0.9, 0.95], eps = 1e-8, weight_decay = 0.1 }"
ACCEPTED = [
    (
        "gpus_per_node = 2 }\nmesh spread { cluster = here, dp_replicate = 1",
        "gpus_per_node = 4 }\nmesh spread { cluster = here, dp_replicate = 2",
    ),
    ("strategy = fsdp2 { reshard_after_forward = true }", "strategy = fsdp2 { reshard_after_forward = false }"),
    ("dp_replicate = 1, dp_shard = 2", "dp_replicate = 2, dp_shard = 1"),
    ("compute = fp32", "compute = bf16"),
    ("reduce = fp32", "reduce = bf16"),
    ("sdpa", "eager"),
    ("workers = 0", "workers = 2"),
    ("micro = 2", "micro = 4"),
    ("lr = 1e-3", "lr = 1e-4"),
    ("betas = [0.9, 0.95]", "betas = [0.9, 0.99]"),
    ("eps = 1e-8", "eps = 1e-6"),
    ("weight_decay = 0.1", "weight_decay = 0.0"),
    ("weight_decay = 0.1 }", "weight_decay = 0.1, groups { embedding { lr = 1e-4 } } }"),
    ("cosine", "linear"),
    ("warmup = 2 steps", "warmup = 4 steps"),
    ("duration = 100 steps", "duration = 200 steps"),
    ("clip = 1.0", "clip = 0.5"),
    ("recompute = none", "recompute = full"),
    ("deterministic = false", "deterministic = true"),
    ("eval { every = 5 steps", "eval { every = 10 steps"),
    ("checkpoint { every = 5", "checkpoint { every = 10"),
    ("logging { every = 1", "logging { every = 2"),
]
REFUSED = [
    ("strategy = fsdp2 { reshard_after_forward = true }", "strategy = zero2"),
    (ADAMW, "optimizer = lion { lr = 1e-4 }"),
    (ADAMW, "optimizer = muon { lr = 1e-3 }"),
    ("layers = 2", "layers = 3"),
    ("heads = 4, kv_heads = 4", "heads = 8, kv_heads = 8"),
    ("vocab = 512", "vocab = 600"),
    ("max_sequence = 64", "max_sequence = 128"),
    ("rope_theta = 10000.0", "rope_theta = 500000.0"),
    ("norm_epsilon = 1e-5", "norm_epsilon = 1e-6"),
    ("tokenizer = bpe", 'tokenizer = pretrained { path = "tokenizer" }'),
    ("params = fp32", "params = bf16"),
    ("holdout = 10%", "holdout = 20%"),
    ("sequence = 32", "sequence = 16"),
    ("shuffle = true", "shuffle = false"),
    ("shuffle = true, seed = 0", "shuffle = true, seed = 1"),
    ("packing = false", "packing = true"),
    ("global = 8", "global = 16"),
    ("recompute = none, seed = 0", "recompute = none, seed = 1"),
]


def planned(text: str, folder: Path) -> tuple[Record, planfile.RunPlan]:
    (folder / "corpus").mkdir(exist_ok=True)
    (folder / "corpus" / "notes.txt").write_text("some text")
    (folder / "spec.train").write_text(text)
    plan = analyse(folder / "spec.train", {}).plan
    assert plan is not None, text
    (folder / "plan.json").write_bytes(plan_json(plan.pipeline, plan.stages[0]))
    return plan.stages[0].spec, planfile.read(folder / "plan.json")


TEMPLATE = Template("", {}, completions_only=False)


def identity(plan: planfile.RunPlan) -> dict[str, Any]:
    """What the runtime writes into a checkpoint, over documents that stay the same."""
    pretrained: Any = SimpleNamespace(backend_tokenizer=SimpleNamespace(to_str=lambda: "a tokenizer"))
    key = making.key_of(plan.data, TEMPLATE, [[b"document"], []], None if plan.data.tokenizer.kind == "bpe" else pretrained)
    run, held = SimpleNamespace(plan=plan), SimpleNamespace(corpus=SimpleNamespace(key=key))
    return state._identity(run, held)  # type: ignore[arg-type]


def change(old: str, new: str, folder: Path, spec: str = SPEC) -> tuple[Effect, bool]:
    """The effect that the schema states, and whether the runtime refuses to resume."""
    assert spec.count(old) == 1, old
    (before, first), (after, second) = planned(spec, folder), planned(spec.replace(old, new), folder)
    found = list(differences(before, after))
    assert found, "the change is one in meaning"
    return worst(difference.effect for difference in found), identity(first) != identity(second)


@pytest.mark.parametrize(("old", "new"), ACCEPTED, ids=[new for _, new in ACCEPTED])
def test_the_runtime_resumes_what_the_schema_calls_resumable(old: str, new: str, tmp_path: Path) -> None:
    effect, refused = change(old, new, tmp_path)
    assert effect is not Effect.RESTART
    assert not refused


@pytest.mark.parametrize(("old", "new"), REFUSED, ids=[new for _, new in REFUSED])
def test_the_runtime_refuses_what_the_schema_calls_another_run(old: str, new: str, tmp_path: Path) -> None:
    effect, refused = change(old, new, tmp_path)
    assert effect is Effect.RESTART
    assert refused


def test_the_momentum_of_sgd_decides_which_states_there_are(tmp_path: Path) -> None:
    spec = SPEC.replace(ADAMW, "optimizer = sgd { lr = 0.1, momentum = 0.9, nesterov = false }")
    assert change("momentum = 0.9", "momentum = 0", tmp_path, spec) == (Effect.RESTART, True)
    effect, refused = change("nesterov = false", "nesterov = true", tmp_path, spec)
    assert effect is not Effect.RESTART
    assert not refused


def test_only_the_source_of_weights_is_another_run_that_the_runtime_cannot_tell(tmp_path: Path) -> None:
    # The checkpoint's weights win, and a folder that moved holds the same ones.
    _, plan = planned(SPEC, tmp_path)
    moved = replace(plan, model=replace(plan.model, source="local", path="weights"))
    assert identity(moved) == identity(plan)
