"""Traces training steps, tensor by tensor, and prints their peaks beside the planner's.

The argument is a list of cases in JSON, of the fields of `Case`, all on as many ranks. Under torchrun the steps are real (gloo);
alone with `"fake": true` they run on fake tensors and a fake process group, so that any size fits here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
from peak import PeakTracker
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.testing._internal.distributed.fake_pg import FakeStore
from trainc.compiler import quantization
from trainc.compiler.adapters import facts
from trainc.compiler.families import family
from trainc.compiler.planner.batch import BatchPlan
from trainc.compiler.planner.memory import plan_memory
from trainc.compiler.schema import Extent
from trainc.compiler.spec import (
    AdamW,
    Adapter,
    ArchitectureSpec,
    BatchSpec,
    ClusterSpec,
    DataSpec,
    GpuSpec,
    MeshSpec,
    ModelSpec,
    PrecisionSpec,
    PythonStdlib,
    StageSpec,
    Strategy,
)
from trainc.compiler.spec.model import Random
from trainc.compiler.units import Dimension
from trainc.runtime import recompute
from trainc.runtime.adapters.inject import inject
from trainc.runtime.axes import cp, tp
from trainc.runtime.data import Batch
from trainc.runtime.engines.share import cut_losses, own_part
from trainc.runtime.layers import decoder_layers
from trainc.runtime.mesh import lay_out
from trainc.runtime.objectives.causal import summed
from trainc.runtime.planfile import RunAdapter, RunQuantization
from trainc.runtime.quantization import apply as quantise
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A stage in few words."""

    architecture: dict[str, int | float | bool | str]
    strategy: str = "fsdp2"
    reshard: bool = True
    sync_each_batch: bool = False
    replicas: int = 1
    ranks: int = 1
    compute: str = "bf16"
    params: str = "fp32"
    reduce: str = "fp32"
    recompute: str = "none"
    attention: str = "sdpa"
    recompute_every: int = 1
    sequence: int = 128
    micro: int = 1
    accumulation: int = 1
    packing: bool = False
    cp: int = 1
    cp_method: str = "ulysses"
    tp: int = 1
    sequence_parallel: bool = False
    adapter: dict[str, Any] | None = None
    quantization: str = "none"
    double: bool | None = None
    fake: bool = False


@dataclass(frozen=True, slots=True)
class Network:
    """A model that is spread over the ranks; `model` is transformers' own, `module` what to call."""

    model: PreTrainedModel
    module: torch.nn.Module
    parameters: list[torch.nn.Parameter]
    exchange: Callable[[bool], AbstractContextManager[None]]
    autocast: Callable[[], AbstractContextManager[None]]


def stage(case: Case) -> StageSpec:
    """The case as the compiler sees it."""
    sharded = case.strategy == "fsdp2"
    mesh = MeshSpec(
        name="mesh",
        cluster=ClusterSpec(name="here", gpu=GpuSpec(name="any", vendor="any", memory=1), gpus_per_node=case.ranks),
        dp_replicate=case.replicas if sharded else case.ranks,
        dp_shard=case.ranks // case.replicas // case.cp // case.tp if sharded else 1,
        cp=case.cp,
        cp_method=case.cp_method,
        tp=case.tp,
        sequence_parallel=case.sequence_parallel,
    )
    source = Strategy.variants[case.strategy]
    return StageSpec(
        name="traced",
        model=ModelSpec(
            name="model",
            source=Random(),
            architecture=ArchitectureSpec(**case.architecture),
            attention=case.attention,
            quantization=case.quantization,
            double_quantization=case.double,
        ),
        data=DataSpec(name="data", train=PythonStdlib(), sequence=case.sequence, packing=case.packing),
        mesh=mesh,
        precision=PrecisionSpec(name="precision", compute=case.compute, params=case.params, reduce=case.reduce),
        strategy=source(reshard_after_forward=case.reshard, sync_each_batch=case.sync_each_batch) if sharded else source(),
        batch=BatchSpec(micro=case.micro, accumulation=case.accumulation),
        optimizer=AdamW(lr=1e-4),
        duration=Extent(1, Dimension.STEPS),
        adapter=Adapter.variants[case.adapter["name"]](**{k: v for k, v in case.adapter.items() if k != "name"})
        if case.adapter
        else None,
        recompute=case.recompute,
        recompute_every=case.recompute_every,
    )


def build(case: Case, spec: StageSpec) -> PreTrainedModel:
    """The model without storage."""
    shape = spec.model.architecture
    settings = family(shape.family).config(shape)
    config = AutoConfig.for_model(shape.family, **settings, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, attn_implementation=case.attention)
        model = model.to(DTYPES[case.params])
        if settings := quantization.facts(spec.model):
            quantise(
                model, SimpleNamespace(model=SimpleNamespace(quantization=RunQuantization(**settings)), precision=spec.precision)
            )
        if spec.adapter:
            inject(model, RunAdapter(**facts(spec.adapter, spec.model)))
    return model.train()


def place(spec: StageSpec) -> Any:
    """As much of the runtime's `Run` as a step needs."""
    # A mesh reads its ranks back from tensors, so it is made of real ones.
    return SimpleNamespace(plan=spec, device=torch.device("cpu"), meshes=lay_out(spec.mesh, torch.device("cpu")))  # type: ignore[arg-type]


def split(model: PreTrainedModel, case: Case, run: Any) -> None:
    """What comes before the strategy: axes that split one copy of the model, and recomputation."""
    if case.cp > 1:
        cp.apply(model, run, run.plan)
    if case.tp > 1:
        tp.apply(model, run, run.plan)
    if case.recompute != "none":
        getattr(recompute, case.recompute)(model, case.recompute_every)


def fill(model: PreTrainedModel) -> None:
    """Gives the weights storage and small random values."""
    model.to_empty(device="cpu")
    # A new tensor a module has undone the sharing of tied weights.
    model.tie_weights()
    with torch.no_grad():
        for value in (*model.parameters(), *model.buffers()):
            # Bytes of quantised matrices are no numbers.
            value.normal_(std=0.02) if value.is_floating_point() else value.zero_()


def shard(model: PreTrainedModel, case: Case, mesh: DeviceMesh) -> Network:
    """FSDP2: each layer a unit, then the root with embedding, last norm and head."""
    policy = MixedPrecisionPolicy(param_dtype=DTYPES[case.compute], reduce_dtype=DTYPES[case.reduce])
    for layer in decoder_layers(model):
        fully_shard(layer, mesh=mesh, mp_policy=policy, reshard_after_forward=case.reshard)
    root = fully_shard(model, mesh=mesh, mp_policy=policy)
    fill(model)

    def exchange(last: bool) -> AbstractContextManager[None]:
        root.set_requires_gradient_sync(last or case.sync_each_batch)
        return nullcontext()

    return Network(model, model, trainable(model), exchange, nullcontext)


def replicate(model: PreTrainedModel, case: Case) -> Network:
    """DDP, under autocast where the compute dtype is another than that of the parameters."""
    fill(model)
    module = DistributedDataParallel(model, broadcast_buffers=False, gradient_as_bucket_view=True)
    mixed = case.compute != case.params
    return Network(
        model,
        module,
        trainable(module),
        lambda last: nullcontext() if last else module.no_sync(),
        lambda: torch.autocast("cpu", dtype=DTYPES[case.compute], enabled=mixed),
    )


def trainable(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    """What the optimizer changes."""
    return [entry for entry in module.parameters() if entry.requires_grad]


def micro_batch(case: Case) -> Batch:
    """Random tokens, with `packing` two documents a sample."""
    tokens = torch.randint(int(case.architecture["vocab"]), (case.micro, case.sequence))
    positions = torch.arange(case.sequence).remainder(case.sequence // 2).expand_as(tokens) if case.packing else None
    return Batch(tokens, tokens, (), positions)


def loss(network: Network, batch: Batch) -> torch.Tensor:
    """The causal objective of a micro-batch."""
    with network.autocast():
        logits = network.module(input_ids=batch.inputs, use_cache=False, **batch.hints).logits
    return summed(logits, batch.targets)


def step(network: Network, optimizer: torch.optim.Optimizer, case: Case, run: Any, tracker: PeakTracker) -> None:
    """One optimizer step."""
    for index in range(case.accumulation):
        with network.exchange(index == case.accumulation - 1), cut_losses(run):
            tracker.begin("forward")
            value = loss(network, own_part(micro_batch(case), network, run))  # type: ignore[arg-type]
            tracker.begin("backward")
            value.backward()
    tracker.begin("optimizer")
    torch.nn.utils.clip_grad_norm_(network.parameters, 1.0, foreach=True)
    optimizer.step()
    optimizer.zero_grad()


def trace(case: Case, spec: StageSpec) -> dict[str, int]:
    """Bytes at the peak of each moment of the second step, when the optimizer has its states."""
    model, run = build(case, spec), place(spec)
    split(model, case, run)
    with fake_tensors() if case.fake else nullcontext(), PeakTracker() as tracker:
        network = shard(model, case, run.meshes.replicas) if case.strategy == "fsdp2" else replicate(model, case)
        optimizer = torch.optim.AdamW(network.parameters, lr=1e-4, fused=True)
        for _ in range(2):
            tracker.reset()
            step(network, optimizer, case, run, tracker)
        return tracker.peaks


@contextmanager
def fake_tensors() -> Iterator[None]:
    """Where a tensor has a shape and no memory."""
    # transformers cannot read from fake positions that no sequences are packed, and would make a mask that real runs do not have.
    unpacked = patch("transformers.masking_utils.find_packed_sequence_indices", lambda positions: None)
    with FakeTensorMode(allow_non_fake_inputs=True), unpacked:
        yield


def join(case: Case) -> None:
    """Joins the launcher's group, is one by itself, or is rank 0 of one that does not exist."""
    if case.fake:
        dist.init_process_group("fake", rank=0, world_size=case.ranks, store=FakeStore())
    elif case.ranks == 1:
        dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    else:
        dist.init_process_group("gloo")


def compare(case: Case) -> dict[str, object]:
    """The planner's terms and what was traced."""
    spec = stage(case)
    samples = case.ranks // case.cp // case.tp
    batch = BatchPlan(case.micro * case.accumulation * samples, case.micro, case.accumulation, samples)
    plan = plan_memory(spec, batch)
    peaks = trace(case, spec)
    return {
        "case": asdict(case),
        "predicted": plan.peak_bytes,
        "traced": max(peaks.values()),
        "peaks": peaks,
        "terms": dict(plan.terms),
        "derivations": dict(plan.derivations),
    }


def main() -> None:
    """Prints a result a case, as a JSON list."""
    torch.manual_seed(0)
    cases = [Case(**case) for case in json.loads(sys.argv[1])]
    join(cases[0])
    results = [compare(case) for case in cases]
    dist.destroy_process_group()
    if os.environ.get("RANK", "0") == "0":
        print(json.dumps(results))


if __name__ == "__main__":
    main()
