"""Traces a step of pipelines on as many ranks as torchrun starts, through the runtime, beside the planner's figure.

The argument is a list of [schedule, virtual stages, fields of the architecture that are otherwise] in JSON; the output the planned
and the traced peak of the heaviest rank.
"""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from peak import PeakTracker
from torch.optim.lr_scheduler import LambdaLR
from traced_step import Case, build, stage
from trainc.compiler.planfile import MESH
from trainc.compiler.planner.batch import BatchPlan
from trainc.compiler.planner.memory import plan_memory
from trainc.compiler.planner.split import plan_split
from trainc.compiler.spec import StageSpec
from trainc.runtime.axes import pp
from trainc.runtime.data import Batch
from trainc.runtime.engines.pipeline import Pipeline
from trainc.runtime.mesh import lay_out
from trainc.runtime.objectives import causal
from trainc.runtime.parallel import fsdp2
from trainc.runtime.planfile import RunBatch, RunMesh

SHAPE = {"family": "llama", "layers": 8, "hidden": 256, "ffn": 704, "heads": 8, "kv_heads": 4, "vocab": 2048, "max_sequence": 512}


def spread(case: Case, schedule: str, virtual: int) -> StageSpec:
    """The case with its layers over all ranks."""
    spec, ranks = stage(case), dist.get_world_size()
    cluster = spec.mesh.cluster.replace(gpus_per_node=ranks)
    return spec.replace(mesh=spec.mesh.replace(cluster=cluster, pp=ranks, schedule=schedule, virtual_stages=virtual))


def running(case: Case, spec: StageSpec) -> Any:
    """What the runtime knows of the run."""
    asked = spec.mesh
    mesh = RunMesh(**{name: getattr(asked, name) for name in MESH}, split=list(plan_split(spec)))
    plan = SimpleNamespace(
        mesh=mesh,
        batch=RunBatch(case.micro * case.accumulation, case.micro, case.accumulation, 1),
        data=SimpleNamespace(sequence=case.sequence),
        precision=SimpleNamespace(compute=case.compute, params=case.params, reduce=case.reduce),
        strategy=SimpleNamespace(
            offload=False, sync_each_batch=False, reshard_group=None, reshard_after_forward=case.reshard, prefetch=1
        ),
        clip=1.0,
    )
    return SimpleNamespace(plan=plan, meshes=lay_out(mesh, torch.device("cpu")), device=torch.device("cpu"))


def trace(case: Case, spec: StageSpec) -> int:
    """Bytes at this rank's peak of the second step, when the optimizer has its states."""
    shape = spec.model.architecture
    run = running(case, spec)
    model = build(case, spec)
    with PeakTracker() as tracker:
        pp.apply(model, run, run.plan)
        network = fsdp2.apply(model, run, run.plan)
        with torch.no_grad():
            for entry in model.parameters():
                entry.to_local().normal_(std=0.02)
        optimizer = torch.optim.AdamW(network.parameters, lr=1e-4, fused=True)
        engine = Pipeline(run, network, causal.summed, optimizer, LambdaLR(optimizer, lambda _: 1.0))
        for _ in range(2):
            tracker.reset()
            tracker.begin("step")
            tokens = torch.randint(shape.vocab, (2 * case.accumulation, case.micro, case.sequence))
            micro = [Batch(tokens[2 * index], tokens[2 * index + 1], ()) for index in range(case.accumulation)]
            engine.accumulate(micro, case.micro * case.accumulation * case.sequence)
            engine.update()
        return max(tracker.peaks.values())


def main() -> None:
    """Prints a pair a case, as a JSON list."""
    dist.init_process_group("gloo")
    results = []
    for schedule, virtual, changes in json.loads(sys.argv[1]):
        case = Case(architecture=SHAPE | changes, compute="fp32", sequence=256, micro=2, accumulation=4, reshard=False)
        spec = spread(case, schedule, virtual)
        peak = torch.tensor(trace(case, spec))
        dist.all_reduce(peak, dist.ReduceOp.MAX)
        planned = plan_memory(spec, BatchPlan(case.micro * case.accumulation, case.micro, case.accumulation, 1))
        results.append([planned.peak_bytes, int(peak)])
    if dist.get_rank() == 0:
        print(json.dumps(results))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
