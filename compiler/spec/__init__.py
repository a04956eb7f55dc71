"""Every kind and variant of the language, as typed records."""

from .data import DataSource, DataSpec, Jsonl, PythonStdlib, TextFiles
from .hardware import ClusterSpec, GpuSpec
from .model import ArchitectureSpec, Bpe, Hub, Local, ModelSource, ModelSpec, Pretrained, Random, StageOutput, Tokenizer
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
    "Ddp",
    "EvalSpec",
    "Fsdp2",
    "GpuSpec",
    "Hub",
    "Jsonl",
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
