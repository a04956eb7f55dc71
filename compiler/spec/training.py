"""How training is spread and what it optimises: mesh, precision, strategies, optimizers, schedules, objectives, adapters."""

from __future__ import annotations

from typing import Any

from ..effect import Effect
from ..schema import Choice, Extent, ListOf, Record, RecordOf, setting
from ..units import Dimension
from .hardware import ClusterSpec
from .scalars import BOOL, BYTES, COUNT, DEGREE, EXTENT, PERCENT, POSITIVE, POSITIVE_COUNT, STRING

DTYPES = Choice(("fp32", "bf16", "fp16", "fp8"))


class MeshSpec(Record, kind="mesh", effect=Effect.RESHARDS):
    """How the ranks of a cluster are laid out: its degrees multiply to the cluster's GPUs."""

    name: str
    cluster: ClusterSpec = setting(RecordOf(ClusterSpec), "the machines")
    dp_replicate: int = setting(DEGREE, "data-parallel copies of the model", default=1)
    dp_shard: int = setting(DEGREE, "data-parallel ranks that share one copy", default=1)
    cp: int = setting(DEGREE, "ranks that share a sequence", default=1)
    cp_method: str = setting(
        Choice(("ulysses", "ring")),
        "how they attend to each other's tokens: exchanging heads for tokens, or passing keys and values round",
        default="ulysses",
        effect=Effect.NONE,
    )
    tp: int = setting(DEGREE, "ranks that share each matrix, inside a node", default=1)
    pp: int = setting(DEGREE, "ranks that hold groups of layers, one after the other", default=1)
    ep: int = setting(DEGREE, "ranks that share the experts, among those that share a copy", default=1)
    sequence_parallel: bool = setting(BOOL, "what stands between the matrices split over tp along the sequence", default=False)
    schedule: str = setting(
        Choice(("gpipe", "one_f_one_b", "interleaved", "zero_bubble", "zbv", "dualpipe_v")),
        "order of pipeline steps",
        default="one_f_one_b",
    )
    virtual_stages: int = setting(POSITIVE_COUNT, "groups of layers a pipeline rank holds", default=1)
    split: list[int] | None = setting(
        ListOf(POSITIVE_COUNT), "layers of each group, in their order; balanced by cost if left out", default=None
    )

    @property
    def size(self) -> int:
        """The product of the degrees; ep lies inside the data-parallel ranks."""
        return self.dp_replicate * self.dp_shard * self.cp * self.tp * self.pp

    @property
    def parts(self) -> int:
        """Groups of layers, over all pipeline ranks."""
        return self.pp * self.virtual_stages

    @property
    def data_parallel(self) -> int:
        """Ranks that see different samples."""
        return self.dp_replicate * self.dp_shard


class PrecisionSpec(Record, kind="precision", effect=Effect.RESUME_SAFE):
    """Dtypes of what is computed, stored and reduced."""

    name: str
    compute: str = setting(DTYPES, "matrix multiplications and activations", default="bf16")
    params: str = setting(Choice(("fp32", "bf16")), "stored parameters and optimizer states", default="fp32", effect=Effect.RESTART)
    reduce: str = setting(Choice(("fp32", "bf16")), "gradients while they are summed over ranks", default="fp32")
    optimizer_state: str | None = setting(
        Choice(("fp32", "bf16")), "moments of the optimizer; the dtype of `params` if left out", default=None, effect=Effect.RESTART
    )
    loss_scaling: str = setting(
        Choice(("dynamic", "none")), "a factor that keeps small fp16 gradients, found while training", default="none"
    )
    fp8_recipe: str | None = setting(
        Choice(("tensorwise", "rowwise", "blockwise")),
        "what shares a scale in fp8; `tensorwise` if left out",
        default=None,
        later=("blockwise",),
    )


# Where what a rank does not compute with may wait.
HOST = Choice(("none", "cpu"))
HOST_OR_DISK = Choice(("none", "cpu", "nvme"))


class Strategy(Record, family="strategy", effect=Effect.RESHARDS):
    """How model states are spread over data-parallel ranks."""


class Ddp(Strategy, variant="ddp"):
    """Every rank holds everything (Li et al. 2020, arXiv:2006.15704)."""

    bucket: int = setting(BYTES, "gradients that travel together", default=25 * 2**20, effect=Effect.NONE)
    static_graph: bool = setting(
        BOOL, "every step uses the same parameters in the same order, which saves searching for unused ones", default=False
    )


class Fsdp2(Strategy, variant="fsdp2"):
    """Parameters, gradients and optimizer states sharded over dp_shard (torch's `fully_shard`)."""

    reshard_after_forward: bool = setting(
        BOOL, "free gathered parameters between forward and backward", default=True, effect=Effect.NONE
    )
    reshard_group: int | None = setting(
        POSITIVE_COUNT, "keep them over so many neighbouring ranks instead of freeing them", default=None, effect=Effect.NONE
    )
    prefetch: int = setting(POSITIVE_COUNT, "layers gathered ahead of the one that computes", default=1, effect=Effect.NONE)
    offload: bool = setting(BOOL, "parameters, gradients and optimizer states in host memory", default=False, effect=Effect.NONE)
    sync_each_batch: bool = setting(
        BOOL,
        "reduce gradients after each micro-batch: more communication, but no whole gradients that wait for the last one",
        default=False,
        effect=Effect.NONE,
    )


class Zero1(Strategy, variant="zero1"):
    """DeepSpeed, optimizer states sharded over dp_shard (Rajbhandari et al. 2020, arXiv:1910.02054)."""

    offload_optimizer: str = setting(HOST, "where optimizer states live and steps are made", default="none", effect=Effect.RESTART)
    bucket: int = setting(BYTES, "gradients that are reduced together", default=200 * 2**20, effect=Effect.NONE)
    gather_bucket: int = setting(BYTES, "parameters gathered together after a step", default=200 * 2**20, effect=Effect.NONE)


class Zero2(Strategy, variant="zero2"):
    """DeepSpeed, optimizer states and gradients sharded over dp_shard."""

    offload_optimizer: str = setting(HOST, "where optimizer states live and steps are made", default="none", effect=Effect.RESTART)
    bucket: int = setting(BYTES, "gradients that are reduced together", default=200 * 2**20, effect=Effect.NONE)
    gather_bucket: int = setting(BYTES, "parameters gathered together after a step", default=200 * 2**20, effect=Effect.NONE)


class Zero3(Strategy, variant="zero3"):
    """DeepSpeed, optimizer states, gradients and parameters sharded over dp_shard."""

    offload_optimizer: str = setting(
        HOST_OR_DISK,
        "where optimizer states live; elsewhere than on the device, the CPU steps",
        default="none",
        effect=Effect.RESTART,
    )
    offload_parameters: str = setting(HOST_OR_DISK, "where a rank's parameters wait until they are gathered", default="none")
    nvme_path: str | None = setting(
        STRING, "a folder on each node's own disk, for what is offloaded to nvme", default=None, effect=Effect.NONE
    )
    bucket: int = setting(BYTES, "gradients that are reduced together", default=200 * 2**20, effect=Effect.NONE)
    gather_bucket: int = setting(BYTES, "parameters gathered ahead of use", default=100 * 2**20, effect=Effect.NONE)
    live_parameters: int = setting(POSITIVE_COUNT, "parameters that may stay gathered at a time", default=10**9, effect=Effect.NONE)
    hpz_partition: int = setting(
        POSITIVE_COUNT,
        "ranks of a node that hold a second copy for the backward pass (arXiv:2306.10209)",
        default=1,
        effect=Effect.NONE,
    )
    quantized_weights: bool = setting(
        BOOL, "parameters travel in 8 bits (arXiv:2306.10209)", default=False, effect=Effect.RESUME_SAFE
    )
    quantized_gradients: bool = setting(
        BOOL, "gradients travel in 4 bits (arXiv:2306.10209)", default=False, effect=Effect.RESUME_SAFE
    )


class Schedule(Record, family="schedule", effect=Effect.RESUME_SAFE):
    """The learning rate over the run: a linear warmup, then what the variant does."""

    warmup: Extent = setting(EXTENT, "linear rise from zero", default=Extent(0, Dimension.STEPS))


class Constant(Schedule, variant="constant"):
    """The peak to the end."""


class Cosine(Schedule, variant="cosine"):
    """Half a cosine down to the floor (Loshchilov & Hutter 2017, arXiv:1608.03983)."""

    floor: float = setting(PERCENT, "last learning rate, as a share of the peak", default=0.0)


class Linear(Schedule, variant="linear"):
    """A straight line down to the floor."""

    floor: float = setting(PERCENT, "last learning rate, as a share of the peak", default=0.0)


class Wsd(Schedule, variant="wsd"):
    """Warmup, stable, decay: the peak, then a straight line down at the end (Hu et al. 2024, arXiv:2404.06395)."""

    decay: Extent = setting(EXTENT, "length of the final decay", default=Extent(10, Dimension.PERCENT))
    floor: float = setting(PERCENT, "last learning rate, as a share of the peak", default=0.0)


class Objective(Record, family="objective", effect=Effect.RESTART):
    """The loss."""


class Causal(Objective, variant="causal"):
    """Next-token cross-entropy, averaged over all target tokens of the global batch."""


class Sft(Objective, variant="sft"):
    """Next-token cross-entropy on completions only: of the format `completion`, or the assistant's messages of `chat`."""


class Distill(Objective, variant="distill", later=True):
    """A teacher's distribution as target."""


class Dpo(Objective, variant="dpo", later=True):
    """Direct preference optimisation (Rafailov et al. 2023, arXiv:2305.18290)."""

    beta: float = setting(POSITIVE, "strength of the pull to the reference", default=0.1)


class Grpo(Objective, variant="grpo", later=True):
    """Group-relative policy optimisation (Shao et al. 2024, arXiv:2402.03300)."""


class Reward(Objective, variant="reward", later=True):
    """A reward model from preferences."""


class Adapter(Record, family="adapter", effect=Effect.RESTART):
    """Few trainable parameters beside a frozen model."""


# What families call the matrices of a layer; `all_linear` is each that the family has.
TARGETS = Choice(("q", "k", "v", "qkv", "o", "gate", "up", "gate_up", "down", "all_linear"))


def _rank(doc: str) -> Any:
    return setting(POSITIVE_COUNT, doc, default=None)


class RanksSpec(Record, part="ranks", effect=Effect.RESTART):
    """Ranks of single matrices, where they are not the adapter's `rank`."""

    q: int | None = _rank("queries")
    k: int | None = _rank("keys")
    v: int | None = _rank("values")
    qkv: int | None = _rank("queries, keys and values in one")
    o: int | None = _rank("output of attention")
    gate: int | None = _rank("gate")
    up: int | None = _rank("first matrix of the feed-forward block")
    gate_up: int | None = _rank("gate and first matrix in one")
    down: int | None = _rank("last matrix of the feed-forward block")


class LowRank(Adapter):
    """A matrix W becomes W + s B A of rank r, of which A and B train."""

    rank: int = setting(POSITIVE_COUNT, "rank of the update", default=16)
    ranks: RanksSpec = setting(RecordOf(RanksSpec), "ranks of single matrices", default=RanksSpec())
    alpha: float = setting(POSITIVE, "scale: alpha / rank, each matrix's own", default=32.0)
    rank_stabilized: bool = setting(BOOL, "scale: alpha / sqrt(rank) (Kalajdzievski 2023, arXiv:2312.03732)", default=False)
    targets: list[str] = setting(ListOf(TARGETS), "matrices, by short names", default=["all_linear"])
    init: str = setting(
        Choice(("kaiming", "gaussian", "pissa", "olora")),
        "how A and B begin: B at zero, or both from the matrix itself (arXiv:2404.02948, arXiv:2406.01775)",
        default="kaiming",
        later=("pissa", "olora"),
    )


class Lora(LowRank, variant="lora"):
    """Low-rank updates (Hu et al. 2021, arXiv:2106.09685)."""


class Dora(LowRank, variant="dora"):
    """Low-rank updates with learned magnitudes (Liu et al. 2024, arXiv:2402.09353)."""


class Prefix(Adapter, variant="prefix", later=True):
    """Learned keys and values before each layer's own (Li & Liang 2021, arXiv:2101.00190)."""

    tokens: int = setting(POSITIVE_COUNT, "virtual tokens", default=20)


class Prompt(Adapter, variant="prompt", later=True):
    """Learned input embeddings (Lester et al. 2021, arXiv:2104.08691)."""

    tokens: int = setting(POSITIVE_COUNT, "virtual tokens", default=20)


class Ia3(Adapter, variant="ia3"):
    """Learned rescaling: of what a matrix makes, of what `down` reads (Liu et al. 2022, arXiv:2205.05638)."""

    targets: list[str] = setting(ListOf(TARGETS), "matrices, by short names", default=["k", "v", "down"])


class Bottleneck(Adapter, variant="bottleneck", later=True):
    """Small layers after each block (Houlsby et al. 2019, arXiv:1902.00751)."""

    width: int = setting(COUNT, "inner width", default=64)
