"""Every kind and variant of the language, as typed records."""

from .data import DataSource, DataSpec, Jsonl, PythonStdlib, TextFiles
from .hardware import ClusterSpec, GpuSpec
from .model import ArchitectureSpec, Bpe, ModelSource, ModelSpec, Pretrained, StageOutput, Tokenizer
from .pipeline import PipelineSpec, TargetSpec
from .stage import BatchSpec, CheckpointSpec, EvalSpec, LoggingSpec, StageSpec
from .training import AdamW, Adapter, MeshSpec, Objective, Optimizer, PrecisionSpec, Schedule, Strategy

__all__ = [
    "AdamW",
    "Adapter",
    "ArchitectureSpec",
    "BatchSpec",
    "Bpe",
    "CheckpointSpec",
    "ClusterSpec",
    "DataSource",
    "DataSpec",
    "EvalSpec",
    "GpuSpec",
    "Jsonl",
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
    "Schedule",
    "StageOutput",
    "StageSpec",
    "Strategy",
    "TargetSpec",
    "TextFiles",
    "Tokenizer",
]
