"""DeepSpeed's ZeRO-3 (Rajbhandari et al. 2020, arXiv:1910.02054), and ZeRO-Infinity's offloading (arXiv:2104.07857)."""

from ..zero.parts import apply

__all__ = ["apply"]
