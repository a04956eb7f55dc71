"""Supervised fine-tuning: next-token cross-entropy on completions, which the data marks as targets."""

from __future__ import annotations

from .causal import loss, summed

__all__ = ["loss", "summed"]
