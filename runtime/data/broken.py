"""Rows that cannot be used: the first ends the run, or they are left out and counted, as the spec says."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from ..errors import StageError

# So many are named in the log.
NAMED = 10

Read = TypeVar("Read")

log = logging.getLogger("trainc.data")


class BrokenRowError(Exception):
    """What is wrong with a row, to be said after its place."""


@dataclass(frozen=True, slots=True)
class Broken:
    """`policy` is `stop` or `skip`; `places` are those of the rows left out, however often they were read."""

    policy: str
    places: set[str] = field(default_factory=set)

    def attempt(self, place: str, read: Callable[[], Read]) -> Read | None:
        """What `read` makes of the row at a place, None where it is left out."""
        try:
            return read()
        except BrokenRowError as fault:
            self.met(f"{place}{fault}", place)
            return None

    def met(self, sentence: str, place: str) -> None:
        """Ends the run with the sentence, or leaves out what is at the place."""
        if self.policy == "stop":
            raise StageError(sentence)
        if place not in self.places and len(self.places) < NAMED:
            log.warning("left out: %s", sentence)
        self.places.add(place)
