"""Expert parallelism: each rank of a group holds some experts of every layer, and tokens travel to those that they visit.

The exchange is transformers': two all-to-alls a layer, no token dropped, the routing weights applied where the token came from
(Lepikhin et al. 2020, arXiv:2006.16668). The groups lie inside the ranks that see different tokens, so that ep costs no ranks.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch import nn
from torch.distributed.tensor import DTensor
from transformers import PreTrainedModel
from transformers.distributed.expert_parallel import apply_expert_parallelism
from transformers.distributed.parallel_utils import replace_layer_number_by_wildcard

from ..errors import StageError
from ..planfile import RunPlan
from ..stage import Run


def apply(model: PreTrainedModel, run: Run, plan: RunPlan) -> None:
    """Spreads the experts on the meta device; every parameter of theirs becomes a DTensor on the axis ep."""
    if not model.ep_plan:
        raise StageError(f"{type(model).__name__} has no expert-parallel plan in transformers: set ep = 1")
    # Parameters stand before their modules, which count what is left on this rank.
    names = [*dict(model.named_parameters()), *(name for name, _ in model.named_modules())]
    styles = {name: model.ep_plan.get(replace_layer_number_by_wildcard(name)) for name in names}
    found = {name: style for name, style in styles.items() if style}
    apply_expert_parallelism(model, run.meshes.experts["ep"], run.meshes.states["tp"], found, ep_implementation="all_to_all")


def spread_experts(model: nn.Module) -> Iterator[nn.Module]:
    """The modules whose own parameters are spread over the axis ep."""
    for module in model.modules():
        if any(isinstance(entry, DTensor) and "ep" in _axes(entry) for entry in module.parameters(recurse=False)):
            yield module


def _axes(tensor: DTensor) -> tuple[str, ...]:
    return tensor.device_mesh.mesh_dim_names or ()
