"""The memory plan's terms, their words, and the moment of the peak."""

import pytest
from trainc.compiler.planner.batch import BatchPlan
from trainc.compiler.planner.memory import plan_memory
from trainc.compiler.planner.terms import NOTHING, Term, product
from trainc.compiler.schema import Extent
from trainc.compiler.spec import (
    AdamW,
    Adapter,
    ArchitectureSpec,
    BatchSpec,
    ClusterSpec,
    DataSpec,
    GpuSpec,
    MeshSpec,
    ModelSpec,
    PrecisionSpec,
    PythonStdlib,
    StageSpec,
    Strategy,
)
from trainc.compiler.spec.model import Random
from trainc.compiler.units import Dimension

SHAPE = {"family": "llama", "layers": 32, "hidden": 4096, "ffn": 14336, "heads": 32, "kv_heads": 8}
PARAMETERS = 8_030_261_248


def plan(ranks=8, strategy="fsdp2", micro=1, accumulation=1, recompute="full", sequence=4096, adapter=None, **changes):
    """The memory of an 8B Llama on some ranks, or of one whose model has `changes`."""
    sharded = strategy == "fsdp2"
    gpu = GpuSpec(name="gpu", memory=80 * 2**30)
    stage = StageSpec(
        name="stage",
        model=ModelSpec(
            **{
                "name": "m",
                "source": Random(),
                "architecture": ArchitectureSpec(**SHAPE, vocab=128256, max_sequence=8192),
                **changes,
            }
        ),
        data=DataSpec(name="d", train=PythonStdlib(), sequence=sequence),
        mesh=MeshSpec(
            name="mesh",
            cluster=ClusterSpec(name="c", gpu=gpu, gpus_per_node=ranks),
            dp_shard=ranks if sharded else 1,
            dp_replicate=1 if sharded else ranks,
        ),
        precision=PrecisionSpec(name="p"),
        strategy=Strategy.variants[strategy](),
        batch=BatchSpec(micro=micro),
        optimizer=AdamW(lr=1e-4),
        duration=Extent(1, Dimension.STEPS),
        recompute=recompute,
        adapter=adapter,
    )
    return plan_memory(stage, BatchPlan(micro * accumulation * ranks, micro, accumulation, ranks))


def test_fsdp2_shards_parameters_and_optimizer_states():
    assert plan().terms["parameters"] == PARAMETERS * 4 // 8
    assert plan().terms["optimizer"] == PARAMETERS * 8 // 8


def test_ddp_holds_everything_on_every_rank():
    terms = plan(strategy="ddp").terms
    assert (terms["parameters"], terms["gradients"], terms["optimizer"]) == (4 * PARAMETERS, 4 * PARAMETERS, 8 * PARAMETERS)


def test_derivations_say_the_arithmetic_and_the_moment():
    words = plan().derivations
    assert words["parameters"] == "8.0B parameters x 4 bytes / 8 ranks, at the backward pass of the embedding"
    assert words.keys() == plan().terms.keys()


def test_long_sequences_move_the_peak_to_the_loss():
    words = plan(sequence=8192).derivations["logits"]
    assert words == "1 x 8192 tokens x 1.5M bytes (128.3k logits x 3 float32 buffers of the loss), at the loss"


def test_accumulation_under_fsdp2_keeps_whole_gradients():
    assert plan(accumulation=4).terms["gradients"] >= 4 * PARAMETERS


def test_recomputation_saves_activations():
    assert plan(recompute="full").peak_bytes < 0.6 * plan(recompute="none").peak_bytes


@pytest.mark.parametrize("micro", [2, 4])
def test_activations_grow_with_the_micro_batch(micro):
    assert plan(recompute="none", micro=micro).terms["activations"] == micro * plan(recompute="none").terms["activations"]


def test_terms_add_up_with_their_words_and_leave_nothing_out():
    assert product(1_500, "things", 2, ranks=3) + Term(1, "one") == Term(1_001, "1.5k things x 2 bytes / 3 ranks + one")
    assert NOTHING + Term(1, "one") == Term(1, "one") + NOTHING == Term(1, "one")


MATRICES = 80 * (2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672)


def beside(storage, **changes):
    """A 70B Llama with LoRA on 8 ranks."""
    shape = ArchitectureSpec(**SHAPE | {"layers": 80, "hidden": 8192, "ffn": 28672, "heads": 64}, vocab=128256, max_sequence=8192)
    return plan(adapter=Adapter.variants["lora"](), architecture=shape, quantization=storage, **changes)


@pytest.mark.parametrize(
    ("storage", "double", "bytes_each"),
    [("nf4", None, 1 / 2 + 1 / 64 + 4 / 64 / 256), ("nf4", False, 1 / 2 + 4 / 64), ("int8", None, 1)],
)
def test_matrices_in_few_bits_are_sharded_with_their_scales(storage, double, bytes_each):
    terms = beside(storage, double_quantization=double).terms
    assert terms["quantized parameters"] == pytest.approx(MATRICES * bytes_each / 8, rel=5e-4)
    whole = beside("none").terms
    assert "quantized parameters" not in whole
    assert whole["parameters"] - terms["parameters"] == MATRICES * 4 // 8


def test_a_70b_model_in_nf4_trains_on_eight_gpus_of_80_gb():
    assert 35e9 < MATRICES * 33 / 64 < 36e9
    assert beside("nf4").peak_bytes < 24 * 2**30
