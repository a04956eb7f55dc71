"""Data: where documents come from and how they become samples."""

from __future__ import annotations

from ..effect import Effect
from ..schema import Choice, Record, RecordOf, setting
from .scalars import BOOL, COUNT, PATH, PERCENT, POSITIVE_COUNT, SEED, STRING


class DataSource(Record, family="data source", effect=Effect.RESTART):
    """Where documents come from."""


class PythonStdlib(DataSource, variant="python_stdlib"):
    """The source files of the running Python's standard library: real text that every machine has."""


class TextFiles(DataSource, variant="text"):
    """One document a file."""

    path: str = setting(PATH, "file or glob, below the spec's folder")


class Jsonl(DataSource, variant="jsonl"):
    """One document a row."""

    path: str = setting(PATH, "file or glob, below the spec's folder")
    column: str = setting(STRING, "the key that holds the text", default="text")


class Parquet(DataSource, variant="parquet", later=True):
    """One document a row of a columnar file."""

    path: str = setting(PATH, "file or glob, below the spec's folder")
    column: str = setting(STRING, "the column that holds the text", default="text")


class HubData(DataSource, variant="hf", later=True):
    """A data set of the Hugging Face hub, pinned."""

    repository: str = setting(STRING, "owner/name")
    revision: str = setting(STRING, "commit or tag", default="main")


class Tokens(DataSource, variant="tokens", later=True):
    """Tokens that are on disk already."""

    path: str = setting(PATH, "file or glob, below the spec's folder")


class Synthetic(DataSource, variant="synthetic", later=True):
    """Random tokens: for measuring, not for learning."""

    documents: int = setting(POSITIVE_COUNT, "how many", default=1_000)


class Generated(DataSource, variant="generated", later=True):
    """What an earlier stage wrote; written `STAGE.data`."""

    stage: str = setting(STRING, "the stage")


class DataSpec(Record, kind="data", effect=Effect.RESTART):
    """Documents cut into samples of equal length."""

    name: str
    train: DataSource = setting(RecordOf(DataSource), "documents to train on")
    eval: DataSource | None = setting(RecordOf(DataSource), "held-out documents", default=None)
    holdout: float = setting(PERCENT, "share of the training documents kept for evaluation", default=0.0)
    format: str = setting(
        Choice(("text", "completion", "chat", "preference", "prompt")), "what a document is", default="text", later=True
    )
    sequence: int = setting(POSITIVE_COUNT, "tokens in a sample")
    shuffle: bool = setting(BOOL, "draw samples in a new order each epoch", default=True)
    seed: int = setting(SEED, "seed of that order", default=0)
    workers: int = setting(COUNT, "loader processes a rank", default=0, effect=Effect.NONE)
    packing: bool = setting(BOOL, "documents in a sample do not see each other", default=False)
    chat_template: str | None = setting(STRING, "name or file of the template", default=None, later=True)
    completions_only: bool = setting(BOOL, "loss on answers only", default=False, later=True)
    pin_memory: bool = setting(BOOL, "batches in pinned host memory", default=True, later=True, effect=Effect.NONE)
    prefetch: int = setting(POSITIVE_COUNT, "batches a worker loads ahead", default=2, later=True, effect=Effect.NONE)
