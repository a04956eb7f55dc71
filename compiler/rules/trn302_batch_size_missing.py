"""TRN302: neither the global nor the micro batch size is given.

Why: the batch size decides what is learned, so there is no value that is right for everybody; a default that DeepSpeed chose
multiplied it by the number of ranks (deepspeedai/DeepSpeed#17).
Example:
  batch { accumulation = 4 }
Instead:
  batch { global = 64, accumulation = 4 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for one of the two sizes from which the others follow."""
    if stage.batch.global_ is None and stage.batch.micro is None:
        ranks = stage.mesh.data_parallel * (stage.batch.accumulation or 1)
        yield Finding(
            at="batch",
            message="`batch` gives neither `global` nor `micro`",
            help=f"set `global`, a multiple of {ranks}, or `micro`",
        )
