"""Models: where weights come from, their architecture, their tokenizer."""

from __future__ import annotations

from ..effect import Effect
from ..schema import Choice, Record, RecordOf, setting
from .scalars import BOOL, COUNT, PATH, POSITIVE, POSITIVE_COUNT, STRING


class ArchitectureSpec(Record, part="architecture", effect=Effect.RESTART):
    """The shape of a decoder."""

    family: str = setting(Choice(("llama",)), "how the layers are built; names transformers' model type")
    layers: int = setting(POSITIVE_COUNT, "decoder layers")
    hidden: int = setting(POSITIVE_COUNT, "width of the residual stream")
    ffn: int = setting(POSITIVE_COUNT, "inner width of the feed-forward block")
    heads: int = setting(POSITIVE_COUNT, "query heads")
    kv_heads: int | None = setting(POSITIVE_COUNT, "key and value heads; as many as `heads` if left out", default=None)
    head_dim: int | None = setting(POSITIVE_COUNT, "width of a head; hidden / heads if left out", default=None)
    vocab: int = setting(POSITIVE_COUNT, "entries of the embedding")
    max_sequence: int = setting(POSITIVE_COUNT, "longest sequence the model is made for")
    tied_embeddings: bool = setting(BOOL, "input and output embedding are one matrix", default=False)
    rope_theta: float = setting(POSITIVE, "base of the rotary position frequencies", default=10_000.0)
    norm_epsilon: float = setting(POSITIVE, "epsilon of the norms", default=1e-5)
    init_std: float = setting(POSITIVE, "standard deviation of fresh matrices", default=0.02)
    norm: str = setting(Choice(("rms_norm", "layer_norm")), "normalisation", default="rms_norm", later=True)
    activation: str = setting(Choice(("silu", "gelu")), "of the gate", default="silu", later=True)
    rope: str = setting(
        Choice(("plain", "llama3", "yarn")), "how positions beyond the first are scaled", default="plain", later=True
    )
    experts: int = setting(COUNT, "experts a layer routes to; 0 for a dense model", default=0, later=True)
    experts_per_token: int = setting(POSITIVE_COUNT, "experts that a token visits", default=1, later=True)
    expert_ffn: int | None = setting(POSITIVE_COUNT, "inner width of an expert; `ffn` if left out", default=None, later=True)
    shared_experts: int = setting(COUNT, "experts that every token visits", default=0, later=True)


class Tokenizer(Record, family="tokenizer", effect=Effect.RESTART):
    """How text becomes tokens."""


class Bpe(Tokenizer, variant="bpe"):
    """A byte-level BPE trained once on the training documents; its vocabulary is the model's."""


class Pretrained(Tokenizer, variant="pretrained"):
    """A tokenizer that transformers loads."""

    path: str = setting(STRING, "folder below the data root, or hub repository")


class ModelSource(Record, family="model source", effect=Effect.RESTART):
    """Where weights come from."""


class Random(ModelSource, variant="random"):
    """Fresh weights by transformers' own initialisation, the same on any mesh."""


class Local(ModelSource, variant="local"):
    """A folder that transformers loads."""

    path: str = setting(PATH, "folder with config.json and safetensors")


class Hub(ModelSource, variant="hf"):
    """A repository of the Hugging Face hub, pinned."""

    repository: str = setting(STRING, "owner/name")
    revision: str = setting(STRING, "commit or tag", default="main")


class StageOutput(ModelSource, variant="stage_output"):
    """What an earlier stage exports; written `STAGE.model`."""

    stage: str = setting(STRING, "the stage")


class ModelSpec(Record, kind="model", effect=Effect.RESTART):
    """A decoder, its weights' origin and its tokenizer."""

    name: str
    source: ModelSource = setting(RecordOf(ModelSource), "where the weights come from")
    architecture: ArchitectureSpec = setting(RecordOf(ArchitectureSpec), "the shape")
    attention: str = setting(
        Choice(("sdpa", "eager", "flash")),
        "attention implementation",
        default="sdpa",
        later=("flash",),
        effect=Effect.RESUME_SAFE,
    )
    tokenizer: Tokenizer | None = setting(
        RecordOf(Tokenizer), "how text becomes tokens; the one beside the weights if left out", default=None
    )
    quantization: str = setting(Choice(("none", "nf4", "int8")), "storage of frozen weights", default="none", later=True)
    double_quantization: bool = setting(BOOL, "quantise the scales too", default=True, later=True)
    quantization_storage: str = setting(
        Choice(("uint8", "bf16", "fp32")), "dtype that holds quantised weights", default="uint8", later=True
    )
    trust_remote_code: bool = setting(BOOL, "run code that comes with the weights", default=False, later=True)
    frozen_layers: int = setting(COUNT, "leading decoder layers that do not train", default=0, later=True)
