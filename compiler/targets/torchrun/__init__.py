"""torchrun: on one machine, or on several that meet at a rendezvous."""

from .target import emit

__all__ = ["emit"]
