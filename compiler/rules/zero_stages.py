"""What rules on DeepSpeed's stages share."""

from __future__ import annotations

from typing import TypeGuard

from ..spec import Strategy, Zero1, Zero2, Zero3


def is_zero(strategy: Strategy) -> TypeGuard[Zero1 | Zero2 | Zero3]:
    """Whether a strategy is one of DeepSpeed's."""
    return isinstance(strategy, Zero1 | Zero2 | Zero3)


def is_zero3(strategy: Strategy) -> TypeGuard[Zero3]:
    """Whether a strategy is the one that shards parameters too."""
    return isinstance(strategy, Zero3)
