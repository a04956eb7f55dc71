"""The scalar types that fields share."""

from __future__ import annotations

from ..schema import Flag, Scalar, Text
from ..units import Dimension

COUNT = Scalar("count", (Dimension.NUMBER,), integer=True, minimum=0)
SEED = Scalar("count", (Dimension.NUMBER,), integer=True, minimum=0, maximum=2**32 - 1)
POSITIVE_COUNT = Scalar("count", (Dimension.NUMBER,), integer=True, minimum=1)
# What the planner may choose.
DEGREE = Scalar("count", (Dimension.NUMBER,), integer=True, minimum=1, auto=True)
NUMBER = Scalar("number", (Dimension.NUMBER,))
# As in 9.0; nvcc's `sm_90` is ten times as much.
CAPABILITY = Scalar("number", (Dimension.NUMBER,), minimum=0, maximum=30, exclusive=True)
NON_NEGATIVE = Scalar("number", (Dimension.NUMBER,), minimum=0)
POSITIVE = Scalar("number", (Dimension.NUMBER,), minimum=0, exclusive=True)
FACTOR = Scalar("number", (Dimension.NUMBER,), minimum=1)
BYTES = Scalar("bytes", (Dimension.BYTES,), integer=True, minimum=1)
MEMORY = Scalar("bytes", (Dimension.BYTES,), integer=True, minimum=0)
BANDWIDTH = Scalar("bandwidth", (Dimension.BANDWIDTH,), minimum=0, exclusive=True)
FLOPS = Scalar("flops", (Dimension.FLOPS,), minimum=0, exclusive=True)
DURATION = Scalar("duration", (Dimension.DURATION,), minimum=0)
POSITIVE_DURATION = Scalar("duration", (Dimension.DURATION,), minimum=0, exclusive=True)
PERCENT = Scalar("percent", (Dimension.PERCENT,), minimum=0, maximum=100)
STEPS = Scalar("steps", (Dimension.STEPS,), integer=True, minimum=1)
EXTENT = Scalar(
    "extent",
    (Dimension.STEPS, Dimension.EPOCHS, Dimension.TOKENS, Dimension.SAMPLES, Dimension.PERCENT),
    minimum=0,
)
BOOL = Flag()
STRING = Text()
PATH = Text("path")
