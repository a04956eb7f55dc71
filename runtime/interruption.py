"""Turns SIGTERM and SIGINT into an orderly end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from .errors import Interrupted


class Interruption:
    """Whether a signal has asked this rank to stop.

    Outside `deferred` nothing has to be finished, so the signal ends the rank at once; inside, the loop looks at `asked`.
    """

    def __init__(self) -> None:
        self.asked = False
        self._deferring = False

    def listen(self) -> None:
        """Takes over the two signals for the rest of the process."""
        signal.signal(signal.SIGTERM, self._receive)
        signal.signal(signal.SIGINT, self._receive)

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Work that must reach a good place before it stops; after an error signals stay deferred, for the process ends anyway.

        A launcher stops the ranks that outlive another while they find out which one it was.
        """
        self._deferring = True
        yield
        self._deferring = False

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if not self._deferring:
            raise Interrupted(f"stopped by {signal.Signals(number).name}")
