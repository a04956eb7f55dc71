"""What a bundle's train.py calls, over tokens in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from trainc.runtime import model, optim, stage, trainer
from trainc.runtime.data import Batch, Corpus
from trainc.runtime.engines import Engine, autograd
from trainc.runtime.objectives import causal
from trainc.runtime.optimizers import adamw
from trainc.runtime.parallel import ddp, fsdp2
from training import Tokens
from turns import Turns

STRATEGIES = {"ddp": ddp, "fsdp2": fsdp2}


@dataclass(frozen=True, slots=True)
class _Counted:
    """An engine that says where its steps begin."""

    inner: Engine
    turns: Turns

    def accumulate(self, micro: list[Batch], targets: int) -> torch.Tensor:
        self.turns.step()
        return self.inner.accumulate(micro, targets)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def main(begin: Callable[[torch.device], Turns]) -> Callable[[stage.Run], None]:
    """The stage."""

    def run_stage(run: stage.Run) -> None:
        plan, turns = run.plan, begin(run.device)
        vocab = plan.model.config["vocab_size"]
        corpus = Corpus(key="memory", tokenizer=Path(), vocab=vocab, end_of_text=0, turn_end=None, train=Tokens(plan), heldout=None)
        network = STRATEGIES[plan.strategy.name].apply(model.build(plan.model, corpus, run), run, plan)
        model.load(network, plan.model, run)
        optimizer = adamw.build(network, plan.optimizer)
        engine = autograd.Autograd(run, network, causal.loss, optimizer, optim.constant(optimizer, plan.schedule))
        trainer.fit(run, _Counted(engine, turns), corpus)
        rows = (run.folder.root / "metrics.jsonl").read_text(encoding="utf-8").splitlines() if run.leads else []
        turns.end([json.loads(row)["loss"] for row in rows])

    return run_stage
