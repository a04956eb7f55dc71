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


class Table(DataSource):
    """One document a row."""

    path: str = setting(PATH, "file or glob, below the spec's folder")
    column: str = setting(STRING, "what holds the text, where `format` is text", default="text")


class Jsonl(Table, variant="jsonl"):
    """One document a line, a JSON object."""


class Parquet(Table, variant="parquet"):
    """One document a row of a columnar file."""


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


class ColumnsSpec(Record, part="columns", effect=Effect.RESTART):
    """Names of the columns, or keys, that a format reads."""

    prompt: str = setting(STRING, "of `completion`: what comes before", default="prompt")
    completion: str = setting(STRING, "of `completion`: what is learnt", default="completion")
    messages: str = setting(
        STRING, "of `chat`: a list of messages with `role` and `content`, or ShareGPT's `from` and `value`", default="messages"
    )


class ChatTemplate(Record, family="chat template", effect=Effect.RESTART):
    """How a conversation becomes text; a model and those who use it must agree on it."""


class Chatml(ChatTemplate, variant="chatml"):
    """`<|im_start|>role`, the text, `<|im_end|>`: Qwen's, SmolLM's and others'."""


class Llama3Template(ChatTemplate, variant="llama3"):
    """`<|start_header_id|>role<|end_header_id|>`, the text, `<|eot_id|>`: Llama 3's, without its tools."""


class PlainTemplate(ChatTemplate, variant="plain"):
    """`role: text`, answers with the end-of-text token: needs no special token, for weights that were trained on text alone."""


class JinjaTemplate(ChatTemplate, variant="jinja"):
    """A Jinja template as transformers takes them; what `{% generation %}` surrounds is learnt."""

    path: str = setting(PATH, "the file, below the spec's folder")


class DataSpec(Record, kind="data", effect=Effect.RESTART):
    """Documents, and how they become samples of equal length: text is joined and cut, other formats are never cut."""

    name: str
    train: DataSource = setting(RecordOf(DataSource), "documents to train on")
    eval: DataSource | None = setting(RecordOf(DataSource), "held-out documents", default=None)
    holdout: float = setting(PERCENT, "share of the training documents kept for evaluation", default=0.0)
    format: str = setting(
        Choice(("text", "completion", "chat", "preference", "prompt")),
        "what a row is: a text; a prompt and what follows; messages; a prompt and two answers; a prompt alone",
        default="text",
        later=("preference", "prompt"),
    )
    columns: ColumnsSpec = setting(RecordOf(ColumnsSpec), "where a format finds its parts", default=ColumnsSpec())
    chat_template: ChatTemplate | None = setting(
        RecordOf(ChatTemplate), "how messages become text; the tokenizer's own if left out", default=None
    )
    completions_only: bool | None = setting(
        BOOL, "learn completions and the assistant's answers only; true for the formats that have them if left out", default=None
    )
    overlong: str = setting(
        Choice(("stop", "skip", "truncate")),
        "a document longer than a sample, where documents are not cut: ends the run, is left out, or loses its end",
        default="stop",
    )
    broken: str = setting(
        Choice(("stop", "skip")), "a row that is of no use: ends the run with its place, or is left out and counted", default="stop"
    )
    sequence: int = setting(POSITIVE_COUNT, "tokens in a sample")
    shuffle: bool = setting(BOOL, "draw samples in a new order each epoch", default=True)
    seed: int = setting(SEED, "seed of that order", default=0)
    workers: int = setting(COUNT, "loader processes a rank", default=0, effect=Effect.NONE)
    packing: bool = setting(
        BOOL, "documents share samples and do not see each other; those that are not cut are put where they fit best", default=False
    )
    pin_memory: bool = setting(BOOL, "batches in pinned host memory", default=True, later=True, effect=Effect.NONE)
    prefetch: int = setting(POSITIVE_COUNT, "batches a worker loads ahead", default=2, later=True, effect=Effect.NONE)

    @property
    def whole(self) -> bool:
        """Whether documents are never cut."""
        return self.format != "text"

    @property
    def learns_completions(self) -> bool:
        """Whether prompts are no targets."""
        return self.whole if self.completions_only is None else self.completions_only
