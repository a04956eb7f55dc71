"""Models: where weights come from, their architecture, their tokenizer."""

from __future__ import annotations

from ..effect import Effect
from ..schema import Choice, Record, RecordOf, setting
from .scalars import BOOL, COUNT, NON_NEGATIVE, PATH, PERCENT, POSITIVE, POSITIVE_COUNT, STRING

# Names of transformers' `model_type`.
FAMILIES = (
    "llama",
    "qwen2",
    "qwen3",
    "mistral",
    "phi3",
    "gemma",
    "gemma2",
    "gpt_neox",
    "gpt2",
    "mixtral",
    "qwen3_moe",
    "deepseek_v3",
)


class Rope(Record, family="rope", effect=Effect.RESTART):
    """Rotary frequencies (Su et al. 2021, arXiv:2104.09864), and how they are rescaled for sequences beyond the first ones."""


class Plain(Rope, variant="plain"):
    """Frequencies as they are."""


class Llama3(Rope, variant="llama3"):
    """Low frequencies are slowed, high ones kept, those between blended (Grattafiori et al. 2024, arXiv:2407.21783)."""

    factor: float = setting(POSITIVE, "how much longer sequences are than the first")
    low_frequency: float = setting(POSITIVE, "turns within `original_sequence` below which a frequency is slowed", default=1.0)
    high_frequency: float = setting(POSITIVE, "turns within `original_sequence` above which a frequency is kept", default=4.0)
    original_sequence: int = setting(POSITIVE_COUNT, "longest sequence of the first training", default=8192)


class Yarn(Rope, variant="yarn"):
    """Frequencies are interpolated by how often they turn, and attention is sharpened (Peng et al. 2023, arXiv:2309.00071)."""

    factor: float = setting(POSITIVE, "how much longer sequences are than the first")
    original_sequence: int = setting(POSITIVE_COUNT, "longest sequence of the first training")
    beta_fast: float | None = setting(
        POSITIVE, "turns within `original_sequence` from which a frequency is kept; 32 if left out", default=None
    )
    beta_slow: float | None = setting(
        POSITIVE, "turns up to which a frequency is slowed by the whole factor; 1 if left out", default=None
    )
    mscale: float | None = setting(POSITIVE, "weight of the factor's logarithm in the rotated part's scale", default=None)
    mscale_all_dim: float | None = setting(
        POSITIVE, "the same for all of a head; where both are equal, the rotated part is not scaled apart", default=None
    )


class ArchitectureSpec(Record, part="architecture", effect=Effect.RESTART):
    """The shape of a decoder; what a family reads beside the sizes, docs/planner.md lists."""

    family: str = setting(
        Choice(FAMILIES),
        "how the layers are built; names transformers' model type",
    )
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
    rope: Rope = setting(RecordOf(Rope), "how the rotary frequencies are rescaled", default=Plain())
    rotary_share: float = setting(PERCENT, "leading part of each head that is rotated", default=1.0)
    norm_epsilon: float = setting(POSITIVE, "epsilon of the norms", default=1e-5)
    init_std: float = setting(POSITIVE, "standard deviation of fresh matrices", default=0.02)
    activation: str | None = setting(
        Choice(("silu", "gelu", "gelu_tanh", "gelu_new")),
        "of the feed-forward block; the family's own if left out",
        default=None,
    )
    attention_bias: bool = setting(BOOL, "the attention's matrices have biases", default=False)
    parallel_residual: bool = setting(BOOL, "attention and feed-forward block read the same state", default=False)
    sliding_window: int | None = setting(POSITIVE_COUNT, "tokens that attention looks back; all if left out", default=None)
    query_scale: float | None = setting(
        POSITIVE, "attention scores are divided by its square root; `head_dim` if left out", default=None
    )
    attention_softcap: float | None = setting(POSITIVE, "bound of attention scores; none if left out", default=None)
    logit_softcap: float | None = setting(POSITIVE, "bound of the logits; none if left out", default=None)
    experts: int = setting(COUNT, "experts a layer routes to; 0 for a dense model", default=0)
    experts_per_token: int = setting(POSITIVE_COUNT, "experts that a token visits", default=1)
    expert_ffn: int | None = setting(POSITIVE_COUNT, "inner width of an expert; `ffn` if left out", default=None)
    router_aux_loss: float = setting(NON_NEGATIVE, "weight of the loss that balances experts", default=0.001)
    router_bias_update_rate: float = setting(
        NON_NEGATIVE,
        "how far a step moves the biases that pick experts, towards balance; 0 leaves them",
        default=0.001,
        effect=Effect.RESUME_SAFE,
    )
    shared_experts: int = setting(COUNT, "experts that every token visits, each as wide as the others", default=0)
    first_k_dense_replace: int = setting(COUNT, "leading layers with a dense block of width `ffn` in place of experts", default=0)
    n_group: int = setting(POSITIVE_COUNT, "groups of experts, of which a token visits the best `topk_group`", default=1)
    topk_group: int = setting(POSITIVE_COUNT, "groups whose experts a token may visit", default=1)
    routed_scaling_factor: float = setting(POSITIVE, "multiplies what the experts that a token visits add", default=1.0)
    q_lora_rank: int | None = setting(
        POSITIVE_COUNT, "width of the latent that queries come out of; they come out of the stream if left out", default=None
    )
    kv_lora_rank: int | None = setting(POSITIVE_COUNT, "width of the latent that keys and values come out of", default=None)
    qk_nope_head_dim: int | None = setting(POSITIVE_COUNT, "part of a query or key head without positions", default=None)
    qk_rope_head_dim: int | None = setting(POSITIVE_COUNT, "part of a query or key head that is rotated", default=None)
    v_head_dim: int | None = setting(POSITIVE_COUNT, "width of a value head", default=None)


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
        Choice(("sdpa", "eager", "flash", "flex")),
        "attention implementation",
        default="sdpa",
        effect=Effect.RESUME_SAFE,
    )
    tokenizer: Tokenizer | None = setting(
        RecordOf(Tokenizer), "how text becomes tokens; the one beside the weights if left out", default=None
    )
    quantization: str = setting(
        Choice(("none", "nf4", "int8")), "how the frozen matrices of the layers are stored beside an adapter", default="none"
    )
    double_quantization: bool | None = setting(BOOL, "nf4's scales are quantised too; they are if left out", default=None)
    trust_remote_code: bool = setting(BOOL, "run code that comes with the weights", default=False, later=True)
    frozen_layers: int = setting(COUNT, "leading decoder layers that do not train", default=0, later=True)
