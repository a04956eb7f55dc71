"""Trains a small model by each plan of a folder and goes on from a checkpoint in the middle.

The argument is a folder, whose `plans.json` names files of plans for as many ranks. What is found of each goes into `found.json`:
the losses, those after the checkpoint as a second network that read it found them, the rates of groups, and the bytes of the first
rank's optimizer states.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from trainc.runtime import model, optim, planfile
from trainc.runtime.axes import pp, tp
from trainc.runtime.checkpoint import states
from trainc.runtime.data import Batch
from trainc.runtime.engines import Engine, autograd, pipeline
from trainc.runtime.mesh import lay_out
from trainc.runtime.objectives import causal
from trainc.runtime.parallel import ddp, fsdp2
from trainc.runtime.shards import own

STEPS, SAVED_AFTER = 5, 3
AXES = {"pp": pp, "tp": tp}
STRATEGIES = {"ddp": ddp, "fsdp2": fsdp2}


def start(plan: planfile.RunPlan) -> tuple[Any, Engine]:
    """The engine of a plan, as its train.py makes it."""
    device = torch.device("cpu")
    run: Any = SimpleNamespace(
        plan=plan,
        device=device,
        meshes=lay_out(plan.mesh, device),
        rank=dist.get_rank(),
        world_size=dist.get_world_size(),
        leads=dist.get_rank() == 0,
        memory=SimpleNamespace(begin=lambda: None),
    )
    corpus: Any = SimpleNamespace(vocab=512, end_of_text=0)
    built: Any = model.build(plan.model, corpus, run)
    if plan.adapter:
        import_module(f"trainc.runtime.adapters.{plan.adapter.name}").apply(built, plan.adapter)
    for axis, module in AXES.items():
        if getattr(plan.mesh, axis) > 1:
            module.apply(built, run, plan)
    network = STRATEGIES[plan.strategy.name].apply(built, run, plan)
    model.load(network, plan.model, run)
    optimizer = import_module(f"trainc.runtime.optimizers.{plan.optimizer.name}").build(network, plan.optimizer)
    schedule = optim.cosine(optimizer, plan.schedule)
    if plan.mesh.pp > 1:
        return run, pipeline.Pipeline(run, network, causal.summed, optimizer, schedule)
    return run, autograd.Autograd(run, network, causal.loss, optimizer, schedule)


def step(run: Any, engine: Engine, number: int) -> float:
    """The mean loss of a step, over the same samples whatever the mesh; every second step sees the same ones again."""
    batch, draw = run.plan.batch, torch.Generator().manual_seed(number % 2)
    tokens = torch.randint(512, (batch.global_size, 33), generator=draw)
    tokens = tokens.chunk(batch.data_parallel)[run.meshes.index("dp")]
    micro = [Batch(part[:, :-1], part[:, 1:], ()) for part in tokens.split(batch.micro)]
    targets = batch.global_size * 32
    total = engine.accumulate(micro, targets).double().sum()
    dist.all_reduce(total)
    engine.update()
    return float(total) / targets


def held(engine: Engine) -> int:
    """Bytes of this rank's states; counters of steps are none."""
    found = [own(value) for state in engine.optimizer.state.values() for value in state.values() if value.dim()]
    return sum(sum(part.nbytes for part in parts_of(value)) for value in found)


def parts_of(value: torch.Tensor) -> list[torch.Tensor]:
    """The tensors that a tensor is made of."""
    if not hasattr(value, "__tensor_flatten__"):
        return [value]
    return [getattr(value, name) for name in value.__tensor_flatten__()[0]]


def train(plan: planfile.RunPlan, folder: Path) -> dict[str, Any]:
    """All that is asked of one plan."""
    run, engine = start(plan)
    losses = []
    for number in range(STEPS):
        losses.append(step(run, engine, number))
        if number + 1 == SAVED_AFTER:
            states.write(engine.network, engine.optimizer, folder)
    again, other = start(plan)
    states.read(other.network, other.optimizer, folder)
    other.schedule.load_state_dict({"last_epoch": SAVED_AFTER, "lr_lambdas": [None] * len(other.schedule.lr_lambdas)})
    for group, base in zip(other.optimizer.param_groups, other.schedule.base_lrs, strict=True):
        group["lr"] = base * other.schedule.lr_lambdas[0](SAVED_AFTER)
    resumed = [step(again, other, number) for number in range(SAVED_AFTER, STEPS)]
    rates = sorted({group["initial_lr"] for group in engine.optimizer.param_groups})
    return {"losses": losses, "resumed": resumed, "rates": rates, "bytes": held(engine)}


def main() -> None:
    """Every plan of the folder."""
    folder = Path(sys.argv[1])
    # What torchao would compile is the same computed at once, without minutes of compiling.
    torch.compile = lambda function, **_: function  # type: ignore[assignment]
    names = json.loads((folder / "plans.json").read_text())
    ranks = planfile.read(folder / names[0]).world_size
    place = int(os.environ.get("RANK", "0"))
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=place, world_size=ranks)
    found = {name: train(planfile.read(folder / name), folder / f"{name}, checkpoint") for name in names}
    if dist.get_rank() == 0:
        (folder / "found.json").write_text(json.dumps(found))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
