"""Frozen matrices in few bits beside an adapter (Dettmers et al. 2023, arXiv:2305.14314), one file a way to store them."""

from .prequantised import refuse_other_storage
from .replace import apply, put_whole, quantise

__all__ = ["apply", "put_whole", "quantise", "refuse_other_storage"]
