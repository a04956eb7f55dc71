"""Arithmetic of model architectures, one file a family: shapes, parameters, activations. The family's name is its module's."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from ..spec import ArchitectureSpec
from .parts.attention import Shape
from .parts.decoder import Decoder
from .parts.experts import Experts
from .parts.matrices import Matrix
from .parts.stream import Stream


class FamilyModule(Protocol):
    """What a family's module offers.

    The fields that it reads, what transformers calls the matrices of a layer, whether it can compute the attention in one
    operation, and whether it has a tensor-parallel plan. NEEDS, where there is one, are fields that it cannot do without.
    """

    READS: frozenset[str]
    MATRICES: Mapping[str, str]
    FUSED_ATTENTION: bool
    TENSOR_PARALLEL: bool

    def decoder(self, architecture: ArchitectureSpec) -> Decoder:
        """The architecture as parts."""

    def config(self, architecture: ArchitectureSpec) -> dict[str, Any]:
        """Keyword arguments of transformers' configuration class."""


@dataclass(frozen=True, slots=True)
class Family:
    """A family's arithmetic, each function of an architecture; bytes are those a token."""

    name: str
    module: FamilyModule

    @property
    def reads(self) -> frozenset[str]:
        """The architecture's fields that mean something to the family."""
        return self.module.READS

    @property
    def needs(self) -> list[str]:
        """Those among them that have no usual value, and no other field to follow from."""
        return sorted(getattr(self.module, "NEEDS", ()))

    @property
    def float32_router(self) -> bool:
        """Whether transformers keeps the router in float32 whatever the model's dtype."""
        return self.latent

    @property
    def latent(self) -> bool:
        """Whether the widths of heads are fields of their own, and `head_dim` none."""
        return "kv_lora_rank" in self.reads

    @property
    def fused_attention(self) -> bool:
        """Whether transformers can compute the attention in one operation."""
        return self.module.FUSED_ATTENTION

    @property
    def tensor_parallel(self) -> bool:
        """Whether transformers says how the family's matrices are split, and the runtime follows."""
        return self.module.TENSOR_PARALLEL

    def gathers(self, architecture: ArchitectureSpec) -> bool:
        """Whether tensor parallelism gathers what a block's first matrices make."""
        return self.module.decoder(architecture).gathers

    def last_input_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int) -> int:
        """Bytes of what the last matrices of one layer's blocks read."""
        return self.module.decoder(architecture).last_inputs(compute_bytes)

    def config(self, architecture: ArchitectureSpec) -> dict[str, Any]:
        """Keyword arguments of transformers' configuration class."""
        return self.module.config(architecture)

    def parameters(self, architecture: ArchitectureSpec) -> Mapping[str, int]:
        """Parameters by part."""
        return self.module.decoder(architecture).parameters

    def shapes(self, architecture: ArchitectureSpec) -> Mapping[str, Sequence[Shape]]:
        """The same parameters one by one."""
        return self.module.decoder(architecture).shapes

    def layer_parameters(self, architecture: ArchitectureSpec) -> int:
        """Parameters of the last decoder layer, from which leading ones may differ."""
        return self.module.decoder(architecture).layer_parameters

    def layers_parameters(self, architecture: ArchitectureSpec) -> int:
        """Parameters of all decoder layers."""
        return self.module.decoder(architecture).layers_parameters

    def attention_widths(self, architecture: ArchitectureSpec) -> tuple[int, int, int, int]:
        """Entries a token of all query heads, key heads, value heads, and of what attention makes of them."""
        attention = self.module.decoder(architecture).attention
        return attention.queries, attention.keys, attention.values, attention.outputs

    def expert_parameters(self, architecture: ArchitectureSpec) -> int:
        """Parameters of one expert of one layer; 0 for a dense model."""
        block = self.module.decoder(architecture).feed_forward
        return block.expert if isinstance(block, Experts) else 0

    def matrices(self, architecture: ArchitectureSpec) -> Mapping[str, Matrix]:
        """The matrices of one layer by short name; experts' are none of them."""
        decoder, names = self.module.decoder(architecture), self.module.MATRICES
        parts = {"attention": decoder.attention, "feed_forward": decoder.feed_forward}
        return {name: Matrix(part, names[name], *sizes) for part, block in parts.items() for name, sizes in block.linears.items()}

    def largest_matrix(self, architecture: ArchitectureSpec) -> int:
        """Entries of a layer's largest matrix."""
        return self.module.decoder(architecture).largest_matrix

    def saved_bytes_per_token(
        self, architecture: ArchitectureSpec, compute_bytes: int, stream: Stream, trained: Collection[str] | None = None
    ) -> int:
        """Bytes that one decoder layer keeps for its backward pass; of a frozen one, for adapters of the matrices `trained`."""
        decoder = self.module.decoder(architecture)
        return decoder.saved(compute_bytes, stream) if trained is None else decoder.saved_beside(compute_bytes, stream, trained)

    def matrix_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int) -> int:
        """Bytes of what one layer's matrices make."""
        return self.module.decoder(architecture).made(compute_bytes)

    def attention_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int) -> int:
        """Bytes of what one layer's fused attention makes."""
        return self.module.decoder(architecture).attention.fused(compute_bytes)

    def eager_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int, sequence: int) -> int:
        """Bytes that one layer keeps beside, where attention is not fused."""
        return self.module.decoder(architecture).attention.eager(compute_bytes, sequence)

    def mask_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int, sequence: int, documents: bool) -> int:
        """Bytes that one layer keeps beside, where fused attention looks back a window or to the start of a document only."""
        return self.module.decoder(architecture).attention.masked(compute_bytes, sequence, documents)

    def backward_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int, stream: Stream) -> int:
        """Bytes that a layer's backward pass needs at most beside what the layer kept."""
        return self.module.decoder(architecture).backward(compute_bytes, stream)

    def last_norm_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int, stream: Stream) -> int:
        """Bytes that the last norm keeps, its output included."""
        return self.module.decoder(architecture).last_norm(compute_bytes, stream)

    def frozen_last_norm_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int, stream: Stream) -> int:
        """Bytes that the last norm keeps where neither it nor the head trains."""
        decoder = self.module.decoder(architecture).frozen()
        return decoder.last_norm(compute_bytes, stream) - compute_bytes * architecture.hidden

    def logit_copies(self, architecture: ArchitectureSpec) -> int:
        """Times that the logits are kept until the loss is taken."""
        return 2 if self.module.decoder(architecture).logit_softcap else 1

    def flops_per_token(self, architecture: ArchitectureSpec, sequence: int) -> int:
        """Operations, forward and backward, recomputation not counted."""
        return self.module.decoder(architecture).flops(sequence)


def family(name: str) -> Family:
    """The family of that name."""
    # A module offers the protocol's names at its top level; the type checker cannot see that through a computed name.
    return Family(name, cast(FamilyModule, importlib.import_module(f".{name}", __name__)))
