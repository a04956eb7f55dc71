"""Every kind and variant of the language, as typed records."""

from ..schema import KINDS
from .data import DataSource, DataSpec, Jsonl, PythonStdlib, TextFiles
from .hardware import ClusterSpec, GpuSpec
from .model import ArchitectureSpec, Bpe, Hub, Local, ModelSource, ModelSpec, Pretrained, Random, StageOutput, Tokenizer
from .pipeline import PipelineSpec, TargetSpec
from .stage import BatchSpec, CheckpointSpec, EvalSpec, LoggingSpec, StageSpec
from .training import (
    AdamW,
    Adapter,
    Causal,
    Constant,
    Cosine,
    Ddp,
    Fsdp2,
    Linear,
    MeshSpec,
    Objective,
    Optimizer,
    PrecisionSpec,
    Schedule,
    Strategy,
    Wsd,
)

__all__ = [
    "KINDS",
    "AdamW",
    "Adapter",
    "ArchitectureSpec",
    "BatchSpec",
    "Bpe",
    "Causal",
    "CheckpointSpec",
    "ClusterSpec",
    "Constant",
    "Cosine",
    "DataSource",
    "DataSpec",
    "Ddp",
    "EvalSpec",
    "Fsdp2",
    "GpuSpec",
    "Hub",
    "Jsonl",
    "Linear",
    "Local",
    "LoggingSpec",
    "MeshSpec",
    "ModelSource",
    "ModelSpec",
    "Objective",
    "Optimizer",
    "PipelineSpec",
    "PrecisionSpec",
    "Pretrained",
    "PythonStdlib",
    "Random",
    "Schedule",
    "StageOutput",
    "StageSpec",
    "Strategy",
    "TargetSpec",
    "TextFiles",
    "Tokenizer",
    "Wsd",
]
