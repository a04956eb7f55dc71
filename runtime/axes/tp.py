"""Tensor parallelism: each rank holds a slice of every matrix (Shoeybi et al. 2019, arXiv:1909.08053).

Which matrices are cut along which side is transformers' own plan of the model; torch's DTensor does the cutting. With sequence
parallelism the stream between the matrices is split along the sequence as well (Korthikanti et al. 2022, arXiv:2205.05198).
The embedding and the head are cut along the vocabulary, and the loss is computed from slices: no rank holds whole logits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from typing import Any

from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Placement, Replicate, Shard, distribute_module, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, ParallelStyle, RowwiseParallel, SequenceParallel, parallelize_module
from transformers import PreTrainedModel

from ..errors import StageError
from ..layers import Elsewhere, own_layers
from ..planfile import RunPlan
from ..stage import Run

Styles = dict[str, ParallelStyle]


def apply(model: PreTrainedModel, run: Run, plan: RunPlan) -> None:
    """Cuts the model on the meta device; every parameter becomes a DTensor on the axis tp."""
    mesh = run.meshes.states["tp"]
    stream: Placement = Shard(1) if plan.mesh.sequence_parallel else Replicate()
    parallelize_module(model, mesh, _matrices(model, stream))
    for layer in own_layers(model).values():
        parallelize_module(layer, mesh, _blocks(layer, stream))
    _share_the_rest(model, mesh, stream)


def _matrices(model: PreTrainedModel, stream: Placement) -> Styles:
    """transformers' plan in torch's terms; embedding and head are ours, for they decide where the vocabulary is cut."""
    if not model.tp_plan:
        raise StageError(f"{type(model).__name__} has no tensor-parallel plan in transformers: set tp = 1")
    styles = {path: style for name, kind in model.tp_plan.items() for path, style in _cut(model, name, kind, stream)}
    styles[_name(model, model.get_input_embeddings())] = RowwiseParallel(input_layouts=Replicate(), output_layouts=stream)
    styles[_name(model, model.get_output_embeddings())] = ColwiseParallel(
        input_layouts=stream, output_layouts=Shard(-1), use_local_output=False
    )
    # What another rank of pp holds is cut there.
    absent = {name for name, module in model.named_modules() if isinstance(module, Elsewhere)}
    return {name: style for name, style in styles.items() if name not in absent}


def _name(model: PreTrainedModel, wanted: nn.Module) -> str:
    return next(name for name, module in model.named_modules() if module is wanted)


def _cut(model: PreTrainedModel, name: str, kind: str, stream: Placement) -> Iterator[tuple[str, ParallelStyle]]:
    """The style of each module below a name of the plan: a matrix, or one with a low-rank update beside it.

    Where the matrix is cut by its output, so is B, and A is whole; where by its input, so is A, and B is whole.
    """
    if not any(hasattr(module, "lora_A") for module in _named(model, name)):
        yield name, _style(name, kind, stream)
        return
    yield f"{name}.base_layer", _style(name, kind, stream)
    if kind.startswith("colwise"):
        yield f"{name}.lora_A.*", _Whole()
        yield f"{name}.lora_B.*", _style(name, kind, stream)
    else:
        yield f"{name}.lora_A.*", RowwiseParallel(output_layouts=stream, use_local_output=False)


def _named(model: PreTrainedModel, pattern: str) -> Iterator[nn.Module]:
    """The modules that a name of the plan means."""
    return (module for name, module in model.named_modules() if fnmatch(name, pattern) and name.count(".") == pattern.count("."))


def _style(name: str, kind: str, stream: Placement) -> ParallelStyle:
    match kind:
        case "colwise":
            return ColwiseParallel()
        case "colwise_gather_output":
            return ColwiseParallel(output_layouts=Replicate())
        case "rowwise":
            return RowwiseParallel(output_layouts=stream)
        case "rowwise_split_input":
            return RowwiseParallel(input_layouts=Replicate(), output_layouts=stream)
        case "embedding_rowwise":
            return RowwiseParallel(input_layouts=Replicate(), output_layouts=stream)
        case "replicated_with_grad_allreduce":
            # Norms of queries and keys see heads, of which each rank has its own: (batch, sequence, heads, head width).
            return SequenceParallel(sequence_dim=2, use_local_output=True)
        case other:
            raise StageError(f"transformers' plan cuts `{name}` as `{other}`, which this runtime does not know: set tp = 1")


def _blocks(layer: nn.Module, stream: Placement) -> Styles:
    """The parts of a layer that hold cut matrices: their input is made whole once, for all the matrices that read it."""
    return {name: _WholeInput(stream) for name, child in layer.named_children() if _is_cut(child)}


def _is_cut(module: nn.Module) -> bool:
    return any(isinstance(entry, DTensor) for entry in module.parameters())


def _share_the_rest(model: PreTrainedModel, mesh: DeviceMesh, stream: Placement) -> None:
    """Norms and whatever else has parameters of its own: each rank holds them whole and sees its part of the stream."""
    for name, module in list(model.named_modules()):
        whole = [entry for entry in module.parameters(recurse=False) if not isinstance(entry, DTensor)]
        if whole:
            parallelize_module(model, mesh, {name: _Shared(stream)})


class _WholeInput(ParallelStyle):
    """Gathers a block's hidden states, given by position or by name, from the ranks that hold parts of the sequence."""

    def __init__(self, stream: Placement) -> None:
        self._stream = stream

    def _apply(self, module: nn.Module, mesh: DeviceMesh) -> nn.Module:
        def gather(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
            if args:
                return (self._whole(args[0], mesh), *args[1:]), kwargs
            return args, {**kwargs, "hidden_states": self._whole(kwargs["hidden_states"], mesh)}

        module.register_forward_pre_hook(gather, with_kwargs=True)
        return module

    def _whole(self, hidden: Any, mesh: DeviceMesh) -> DTensor:
        spread = hidden if isinstance(hidden, DTensor) else DTensor.from_local(hidden, mesh, [self._stream], run_check=False)
        return spread.redistribute(placements=[Replicate()])


class _Whole(ParallelStyle):
    """A matrix that every rank holds whole, between two tensors that every rank has whole."""

    def _apply(self, module: nn.Module, mesh: DeviceMesh) -> nn.Module:
        return distribute_module(module, mesh, _replicate)


class _Shared(ParallelStyle):
    """A module whose parameters every rank holds whole and whose input is the stream."""

    def __init__(self, stream: Placement) -> None:
        self._stream = stream

    def _apply(self, module: nn.Module, mesh: DeviceMesh) -> nn.Module:
        return distribute_module(module, mesh, _replicate, self._spread, _local)

    def _spread(self, _module: nn.Module, inputs: tuple[Any, ...], mesh: DeviceMesh) -> tuple[Any, ...]:
        first, *others = inputs
        spread = first if isinstance(first, DTensor) else DTensor.from_local(first, mesh, [self._stream], run_check=False)
        return (spread, *others)


def _replicate(_name: str, module: nn.Module, mesh: DeviceMesh) -> None:
    for name, entry in list(module.named_parameters(recurse=False)):
        if not isinstance(entry, DTensor):
            spread = distribute_tensor(entry, mesh, [Replicate()], src_data_rank=None)
            module.register_parameter(name, nn.Parameter(spread, requires_grad=entry.requires_grad))


def _local(_module: nn.Module, output: DTensor, _mesh: DeviceMesh) -> Any:
    return output.to_local()
