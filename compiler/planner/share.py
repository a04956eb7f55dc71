"""What one rank holds of a model and of sequences that the mesh splits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .. import quantization
from ..adapters import layer_parameters, layer_shapes
from ..families import family
from ..spec import ArchitectureSpec, MeshSpec, StageSpec
from .batch import BatchPlan
from .layers import leading, with_architecture
from .schedules import delayed_at_once, kept_at_once, parts_at
from .split import plan_split

# Shapes of tensors by the part of the model that they belong to.
Shapes = Mapping[str, Sequence[tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Share:
    """A rank's `layers` of the model, of which the first `dense` are dense, and what it has of the rest.

    `stage` is as the rank sees it: its slice of heads, of the feed-forward block and of the vocabulary; of layers those of its
    largest group. `waiting` layers keep activations of other micro-batches, `waiting_logits` their losses; `delayed` layers wait
    for the gradients of their weights. `edges` are the borders to other groups, over which hidden states and gradients arrive.
    """

    stage: StageSpec
    layers: int
    dense: int
    embedding: bool
    head: bool
    waiting: int = 0
    waiting_logits: int = 0
    delayed: int = 0
    edges: int = 0

    @property
    def architecture(self) -> ArchitectureSpec:
        """The stage's, with all of the rank's layers."""
        return self.stage.model.architecture.replace(layers=self.layers, first_k_dense_replace=self.dense)

    @property
    def adapters(self) -> int:
        """What an adapter adds to one layer."""
        adapter = self.stage.adapter
        return layer_parameters(adapter, self.stage.model.architecture) if adapter else 0

    @property
    def trained(self) -> int:
        """Parameters that its optimizer changes."""
        return _total(self.shapes)

    @property
    def parameters(self) -> int:
        """Those of the model, an adapter's included, without what it has twice and without matrices in few bits."""
        each = self.adapters - quantization.layer_parameters(self.stage.model)
        return self.layers * each + _total(self._model_shapes)

    @property
    def shapes(self) -> Shapes:
        """Those that its optimizer changes one by one, by the part of the model that they belong to."""
        adapter = self.stage.adapter
        if adapter is None:
            return self._model_shapes
        each = layer_shapes(adapter, self.stage.model.architecture)
        return {part: [*shapes] * self.layers for part, shapes in each.items()}

    @property
    def _model_shapes(self) -> Shapes:
        shape = self.architecture
        found = dict(family(shape.family).shapes(shape))
        if not self.embedding:
            found |= {"embedding": [], "positions": []}
        if not self.head:
            # The last norm goes with the head.
            last = family(shape.family).shapes(shape.replace(layers=0))["norms"]
            found |= {"head": [], "norms": found["norms"][len(last) :]}
        return found

    @property
    def copied(self) -> int:
        """Parameters that repeat another's: a pipeline has the matrix of a tied head twice."""
        shape = self.stage.model.architecture
        return shape.vocab * shape.hidden if shape.tied_embeddings and self.head and self.stage.mesh.pp > 1 else 0


def _total(shapes: Shapes) -> int:
    return sum(math.prod(shape) for part in shapes.values() for shape in part)


def shares(stage: StageSpec, batch: BatchPlan) -> Iterator[Share]:
    """The share of each rank along pp; ranks that differ in another axis hold as much."""
    stage = of_one_rank(stage)
    mesh, split = stage.mesh, plan_split(stage)
    if mesh.pp == 1:
        architecture = stage.model.architecture
        yield Share(stage, architecture.layers, leading(architecture), embedding=True, head=True)
        return
    for place in range(mesh.pp):
        groups = [split[part] for part in parts_at(mesh, place)]
        dense = [_dense_in(stage, split, part) for part in parts_at(mesh, place)]
        # Of groups as large, the one with most experts.
        largest, of_it = max(zip(groups, dense, strict=True), key=lambda group: (group[0], -group[1]))
        first, last = 0 in parts_at(mesh, place), len(split) - 1 in parts_at(mesh, place)
        # What is kept is spread over the rank's groups.
        kept = _layers_of(kept_at_once(mesh, batch.accumulation, place), groups)
        yield Share(
            _with_layers(stage, largest, of_it),
            sum(groups),
            sum(dense),
            embedding=first,
            head=last,
            waiting=max(0, kept - largest),
            waiting_logits=batch.accumulation - 1 if last and mesh.schedule == "gpipe" else 0,
            delayed=_layers_of(delayed_at_once(mesh, place), groups),
            edges=2 * len(groups) - first - last,
        )


def _layers_of(count: int, groups: Sequence[int]) -> int:
    """Layers of so many groups of the average size."""
    return -(-count * sum(groups) // len(groups))


def of_one_rank(stage: StageSpec) -> StageSpec:
    """The stage with an architecture that has one rank's share of heads, of the feed-forward block and of the vocabulary.

    Norms and the stream between the matrices stay whole; of a sequence it has the part that cp leaves. Experts are left as they
    are: fsdp2 shards what the ranks of ep hold over the others, so that a rank stores as much with and without; `gathered` counts
    them where they are gathered.
    """
    cp, tp = stage.mesh.cp, stage.mesh.tp
    if cp > 1:
        stage = stage.replace(data=stage.data.replace(sequence=stage.data.sequence // cp))
    if tp == 1:
        return stage
    return with_architecture(stage, _sliced(stage.model.architecture, tp))


def gathered(architecture: ArchitectureSpec, mesh: MeshSpec) -> ArchitectureSpec:
    """The architecture of layers whose shards have come together, as one rank sees it: a rank's own experts."""
    return architecture.replace(experts=architecture.experts // mesh.ep)


def computed(stage: StageSpec) -> ArchitectureSpec:
    """The architecture between a layer's matrices, of a stage as one rank sees it: whole where what they make is gathered."""
    architecture, tp = stage.model.architecture, stage.mesh.tp
    if tp == 1 or not family(architecture.family).gathers(architecture):
        return architecture
    kv_heads = architecture.kv_heads or architecture.heads
    return architecture.replace(heads=tp * architecture.heads, kv_heads=tp * kv_heads, ffn=tp * architecture.ffn)


def _dense_in(stage: StageSpec, split: Sequence[int], part: int) -> int:
    """The dense layers of a group, which stand before all others."""
    return max(0, min(split[part], leading(stage.model.architecture) - sum(split[:part])))


def _with_layers(stage: StageSpec, layers: int, dense: int) -> StageSpec:
    return with_architecture(stage, stage.model.architecture.replace(layers=layers, first_k_dense_replace=dense))


def _sliced(architecture: ArchitectureSpec, tp: int) -> ArchitectureSpec:
    return architecture.replace(
        # The width of a head follows from the whole model.
        head_dim=architecture.head_dim or architecture.hidden // architecture.heads,
        heads=architecture.heads // tp,
        kv_heads=(architecture.kv_heads or architecture.heads) // tp,
        ffn=architecture.ffn // tp,
        vocab=architecture.vocab // tp,
    )
