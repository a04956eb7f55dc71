"""From documents to micro-batches of token samples."""

from .batches import Batch, micro_batches
from .corpus import Corpus, prepare
from .samples import IGNORED, Samples

__all__ = ["IGNORED", "Batch", "Corpus", "Samples", "micro_batches", "prepare"]
