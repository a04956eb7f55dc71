"""What a changed field does to a run that has a checkpoint already; the schema says it of every field."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Effect(Enum):
    """How much of an earlier run survives a change; the members stand from mildest to gravest."""

    NONE = "none"
    RESUME_SAFE = "resume-safe"
    RESHARDS = "reshards"
    RESTART = "restart"

    @property
    def meaning(self) -> str:
        """The effect as a sentence's words."""
        return _MEANINGS[self]


_MEANINGS = {
    Effect.NONE: "the run computes the same numbers",
    Effect.RESUME_SAFE: "a run can go on from its checkpoint",
    Effect.RESHARDS: "a run can go on from its checkpoint, spread anew, not bit for bit",
    Effect.RESTART: "it is another run, which begins anew",
}


def worst(effects: Iterable[Effect]) -> Effect:
    """The gravest of some effects; NONE where there are none."""
    members = list(Effect)
    return max(effects, key=members.index, default=Effect.NONE)
