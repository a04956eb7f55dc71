"""What the compiler decided for each stage: batch, length, parameters, memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .planner.batch import BatchPlan
from .spec import StageSpec


@dataclass(frozen=True, slots=True)
class LengthPlan:
    """Optimizer steps of the stage, its warmup and (for wsd) its final decay; None where only the data tells."""

    total_steps: int | None
    warmup_steps: int | None
    decay_steps: int | None
    tokens_per_step: int


@dataclass(frozen=True, slots=True)
class ParameterPlan:
    """Parameters by part of the model, and those of an adapter beside it, which then are all that trains."""

    terms: Mapping[str, int]
    adapter: int | None = None

    @property
    def total(self) -> int:
        """All of the model's, tied matrices once."""
        return sum(self.terms.values())

    @property
    def trainable(self) -> int:
        """What the optimizer changes."""
        return self.total if self.adapter is None else self.adapter


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Bytes a rank at the peak, term by term; each term with the arithmetic that gave it, for people."""

    terms: Mapping[str, int]
    derivations: Mapping[str, str]

    @property
    def peak_bytes(self) -> int:
        """The sum of the terms."""
        return sum(self.terms.values())


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A stage as it will run; `spec` has the batch filled in. `split` gives the layers of each group that pp makes, in order."""

    spec: StageSpec
    batch: BatchPlan
    length: LengthPlan
    parameters: ParameterPlan
    memory: MemoryPlan
    needs: tuple[str, ...]
    split: tuple[int, ...]

    @property
    def name(self) -> str:
        """The stage's name."""
        return self.spec.name

    @property
    def steps(self) -> str:
        """How long it is, in words: `1000`, or `3 epochs`."""
        total = self.length.total_steps
        return self.spec.duration.words if total is None else str(total)

    @property
    def total_tokens(self) -> int | None:
        """Tokens of the whole stage; None where only the data tells."""
        steps = self.length.total_steps
        return None if steps is None else steps * self.length.tokens_per_step


@dataclass(frozen=True, slots=True)
class Plan:
    """A pipeline's stages in the order in which they run."""

    pipeline: str
    stages: tuple[StagePlan, ...]
