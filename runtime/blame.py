"""Tells from what the ranks answer which of them keeps the others waiting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .errors import Interrupted, StageError

RANKS_NAMED = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """Where a rank is: its step and phase, the line of its main thread, and the collective it waits in, if any.

    `answers` is false where a rank said nothing when it was asked; the rest is then what it wrote last.
    """

    step: int
    phase: str
    waits_in: str | None
    waited_seconds: float
    place: str | None
    interrupted: bool
    answers: bool

    @property
    def where(self) -> str:
        """Its step and phase in words."""
        return f"step {self.step} ({self.phase})" if self.step else self.phase


def name_the_cause(answers: Mapping[int, Answer], hangs: bool) -> Exception | None:
    """One sentence on who is to blame; None where the answers blame nobody. `hangs`: a collective lasted too long."""
    stopped = [rank for rank, answer in answers.items() if answer.interrupted]
    if stopped:
        return Interrupted(f"{_ranks(stopped)} was asked to stop")
    silent = [rank for rank, answer in answers.items() if not answer.answers]
    if silent:
        return StageError(f"lost {_each(silent, answers)}")
    if not hangs:
        return None
    idle = [rank for rank, answer in answers.items() if answer.waits_in is None]
    waiters = [rank for rank in answers if rank not in idle]
    longest = max(answer.waited_seconds for answer in answers.values())
    if idle:
        collectives = ", ".join(sorted({answers[rank].waits_in or "" for rank in waiters}))
        return StageError(f"hanging: {_each(idle, answers)}; {_ranks(waiters)} waited {longest:.0f} s in {collectives}")
    told = "; ".join(f"rank {rank} in {answers[rank].where} in {answers[rank].waits_in}" for rank in waiters[:RANKS_NAMED])
    return StageError(f"every rank waits for another since {longest:.0f} s: {told}")


def _each(ranks: list[int], answers: Mapping[int, Answer]) -> str:
    """The ranks with where they are, those of one place together."""
    groups: dict[str, list[int]] = {}
    for rank in ranks:
        answer = answers[rank]
        place = f"in {answer.where} at {answer.place}" if answer.answers else f"last seen in {answer.where}"
        groups.setdefault(place, []).append(rank)
    return "; ".join(f"{_ranks(group)} {place}" for place, group in groups.items())


def _ranks(ranks: Iterable[int]) -> str:
    numbers = list(ranks)
    shown = ", ".join(str(rank) for rank in numbers[:RANKS_NAMED])
    more = f" and {len(numbers) - RANKS_NAMED} more" if len(numbers) > RANKS_NAMED else ""
    return f"rank{'s' if len(numbers) > 1 else ''} {shown}{more}"
