"""The two ways in which a stage ends early on purpose."""


class StageError(Exception):
    """Something the user can put right; the text is one sentence for the terminal, shown without a traceback."""


class Interrupted(Exception):  # noqa: N818 - not an error: the run was asked to stop and can be resumed
    """A signal asked the run to stop, and everything worth keeping has been written, after `step` steps."""

    def __init__(self, reason: str, step: int | None = None) -> None:
        super().__init__(reason)
        self.step = step
