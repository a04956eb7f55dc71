"""Resumable checkpoints, and the export of the finished model."""

from .export import export
from .state import Progress, State, resume, save

__all__ = ["Progress", "State", "export", "resume", "save"]
