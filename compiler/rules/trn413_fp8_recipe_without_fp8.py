"""TRN413: an `fp8_recipe` where nothing computes in fp8.

Why: the recipe says what shares a scale in fp8; with another dtype it would be ignored, and the speed that it promises never
come, as accelerate ignored a batch size that it was given (huggingface/accelerate#2298).
Example:
  precision mixed { compute = bf16, fp8_recipe = rowwise }
Instead:
  precision mixed { compute = fp8, fp8_recipe = rowwise }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for fp8 where a recipe is given."""
    compute, recipe = stage.precision.compute, stage.precision.fp8_recipe
    if recipe is not None and compute != "fp8":
        yield Finding(
            at="precision.fp8_recipe",
            message=f"`fp8_recipe` {recipe} does nothing where `compute` is {compute}",
            help="set `compute = fp8`, or leave `fp8_recipe` out",
            also={"precision.compute": f"`compute` is {compute}"},
        )
