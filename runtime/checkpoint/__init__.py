"""Resumable checkpoints, and the export of the finished model."""

from .export import export
from .progress import Best, Progress
from .state import State, recall, resume, save

__all__ = ["Best", "Progress", "State", "export", "recall", "resume", "save"]
