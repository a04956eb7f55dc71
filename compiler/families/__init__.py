"""Arithmetic of model architectures, one file a family: shapes, parameters, activations. The family's name is its module's."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, cast

from ..spec import ArchitectureSpec


class Family(Protocol):
    """What a family's module offers."""

    def parameters(self, architecture: ArchitectureSpec) -> Mapping[str, int]:
        """Parameters by part."""

    def layer_parameters(self, architecture: ArchitectureSpec) -> int:
        """Parameters of one decoder layer."""

    def saved_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int, stream_bytes: int) -> int:
        """Bytes a token that one decoder layer keeps for its backward pass; `stream_bytes` is an element of the residual stream."""

    def matrix_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int) -> int:
        """Bytes a token of what one layer's matrices make."""

    def attention_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int) -> int:
        """Bytes a token of what one layer's fused attention makes."""

    def eager_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int, sequence: int) -> int:
        """Bytes a token that one layer keeps beside, where attention is not fused."""

    def backward_bytes_per_token(self, architecture: ArchitectureSpec, compute_bytes: int, stream_bytes: int) -> int:
        """Bytes a token that a layer's backward pass needs at most beside what the layer kept."""

    def flops_per_token(self, architecture: ArchitectureSpec, sequence: int) -> int:
        """Operations a token, forward and backward, recomputation not counted."""

    def config(self, architecture: ArchitectureSpec) -> dict[str, Any]:
        """Keyword arguments of transformers' configuration class."""


def family(name: str) -> Family:
    """The family of that name."""
    # A module offers the protocol's functions at its top level; the type checker cannot see that through a computed name.
    return cast(Family, importlib.import_module(f".{name}", __name__))
