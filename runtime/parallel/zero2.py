"""DeepSpeed's ZeRO-2 (Rajbhandari et al. 2020, arXiv:1910.02054); what the stages differ in stands in ds_config.json."""

from ..zero.whole import apply

__all__ = ["apply"]
