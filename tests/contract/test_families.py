"""Each family's arithmetic against the model that transformers makes of its configuration."""

from __future__ import annotations

import weakref
from collections import Counter, defaultdict
from math import prod
from typing import Any

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.flop_counter import FlopCounterMode
from trainc.compiler.families import family
from trainc.compiler.families.parts.stream import Stream
from trainc.compiler.planner.layers import first_layer
from trainc.compiler.spec import ArchitectureSpec, Llama3, Yarn
from trainc.runtime.layers import decoder_layers
from trainc.runtime.parameter_groups import part_of
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

BASE = {"layers": 2, "hidden": 64, "ffn": 176, "heads": 4, "vocab": 256, "max_sequence": 128}
LLAMA_8B = {"layers": 32, "hidden": 4096, "ffn": 14336, "heads": 32, "kv_heads": 8, "vocab": 128256, "max_sequence": 131072}
GEMMA_2B = {"layers": 18, "hidden": 2048, "ffn": 16384, "heads": 8, "kv_heads": 1, "head_dim": 256, "vocab": 256000}
ROUTED = {"experts": 8, "experts_per_token": 2}
LATENT = ROUTED | {
    "expert_ffn": 40,
    "shared_experts": 2,
    "q_lora_rank": 40,
    "kv_lora_rank": 24,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 20,
}
DEEPSEEK_V3 = {
    "layers": 61,
    "hidden": 7168,
    "ffn": 18432,
    "heads": 128,
    "vocab": 129280,
    "max_sequence": 163840,
    "experts": 256,
    "experts_per_token": 8,
    "expert_ffn": 2048,
    "shared_experts": 1,
    "first_k_dense_replace": 3,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_group": 8,
    "topk_group": 4,
    "routed_scaling_factor": 2.5,
}
SHAPES: dict[str, list[dict[str, Any]]] = {
    "llama": [
        {},
        {"tied_embeddings": True},
        {"kv_heads": 1, "layers": 3},
        {"head_dim": 24, "kv_heads": 2, "attention_bias": True},
        LLAMA_8B,
        LLAMA_8B | {"layers": 80, "hidden": 8192, "ffn": 28672, "heads": 64},
        LLAMA_8B | {"layers": 16, "hidden": 2048, "ffn": 8192, "head_dim": 64, "tied_embeddings": True},
    ],
    "qwen2": [{"kv_heads": 2}, {"tied_embeddings": True}, LLAMA_8B | {"layers": 28, "hidden": 3584, "ffn": 18944, "heads": 28}],
    "qwen3": [{"kv_heads": 2, "head_dim": 24}, {"attention_bias": True}, LLAMA_8B | {"layers": 36, "head_dim": 128}],
    "mistral": [{"kv_heads": 2, "sliding_window": 32}, {"head_dim": 24}, LLAMA_8B],
    "phi3": [{"kv_heads": 2}, {"rotary_share": 0.75}, LLAMA_8B],
    "gemma": [{"kv_heads": 1, "head_dim": 24, "tied_embeddings": True}, {"attention_bias": True}, GEMMA_2B],
    "gemma2": [{"kv_heads": 2, "head_dim": 24, "sliding_window": 32, "logit_softcap": 30.0}, GEMMA_2B],
    "gpt_neox": [{"rotary_share": 0.25, "parallel_residual": True}, {}, {"layers": 36, "hidden": 5120, "heads": 40}],
    "mixtral": [ROUTED | {"kv_heads": 2, "sliding_window": 32}, LLAMA_8B | {"experts": 8, "experts_per_token": 2}],
    "qwen3_moe": [
        ROUTED | {"kv_heads": 2, "head_dim": 24, "expert_ffn": 96},
        LLAMA_8B | {"head_dim": 128, "hidden": 2048, "experts": 128, "experts_per_token": 8, "expert_ffn": 768},
    ],
    "deepseek_v3": [
        LATENT | {"first_k_dense_replace": 1, "n_group": 4, "topk_group": 2},
        LATENT | {"q_lora_rank": None, "attention_bias": True, "first_k_dense_replace": 2, "layers": 4, "tied_embeddings": True},
        DEEPSEEK_V3,
    ],
    "gpt2": [{"tied_embeddings": True}, {}, {"layers": 48, "hidden": 1600, "ffn": 6400, "heads": 25, "vocab": 50257}],
}
COUNTED = [(name, changes) for name, shapes in SHAPES.items() for changes in shapes]


def shape(name: str, **changes: Any) -> ArchitectureSpec:
    return ArchitectureSpec(**{"family": name, **BASE, **changes})


def build(architecture: ArchitectureSpec, attention: str = "eager") -> PreTrainedModel:
    """The model of a plan whose tokenizer names no special tokens."""
    settings = family(architecture.family).config(architecture)
    config = AutoConfig.for_model(architecture.family, **settings, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    return AutoModelForCausalLM.from_config(config, attn_implementation=attention).train()


def named(case: object) -> str | None:
    return case if isinstance(case, str) else ",".join(case) or "plain" if isinstance(case, dict) else None


def size(values: Any) -> int:
    return sum(value.numel() for value in values)


@pytest.mark.parametrize(("name", "changes"), COUNTED, ids=named)
def test_parameters_equal_those_of_transformers(name: str, changes: dict[str, Any]) -> None:
    architecture, model = shape(name, **changes), family(name)
    with torch.device("meta"):
        built = build(architecture)
    assert sum(model.parameters(architecture).values()) == size(built.parameters())
    first, last = (
        sum(size(layer.parameters()) for layer in layers) for layers in (decoder_layers(built)[:1], decoder_layers(built)[-1:])
    )
    assert (model.layer_parameters(first_layer(architecture)), model.layer_parameters(architecture)) == (first, last)
    assert model.layers_parameters(architecture) == size(decoder_layers(built).parameters())
    stored = Counter(tuple(value.shape) for value in built.parameters())
    assert stored == Counter(shape for shapes in model.shapes(architecture).values() for shape in shapes)
    matrices = [value.numel() for value in decoder_layers(built).parameters() if value.dim() > 1]
    assert model.largest_matrix(architecture) == max(matrices)


@pytest.mark.parametrize(("name", "changes"), COUNTED, ids=named)
def test_the_runtime_knows_the_parts_of_the_arithmetic(name: str, changes: dict[str, Any]) -> None:
    architecture = shape(name, **changes)
    with torch.device("meta"):
        built = build(architecture)
    found: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    for path, parameter in built.named_parameters():
        found[part_of(path, parameter, built)].append(tuple(parameter.shape))
    expected = {part: shapes for part, shapes in family(name).shapes(architecture).items() if shapes}
    assert {part: sorted(shapes) for part, shapes in found.items()} == {part: sorted(shapes) for part, shapes in expected.items()}
    parts = {part: sum(prod(shape) for shape in shapes) for part, shapes in expected.items()}
    assert parts == {part: count for part, count in family(name).parameters(architecture).items() if count}


@pytest.mark.parametrize("name", SHAPES)
def test_transformers_reads_every_setting_of_the_configuration(name: str) -> None:
    """A setting under a name that the configuration class does not know would be ignored."""
    settings = family(name).config(shape(name, **SHAPES[name][0]))
    config = AutoConfig.for_model(name, **settings)
    # Qwen3-MoE's attention reads it without the class declaring it.
    known = {"head_dim", *type(config).__dataclass_fields__, *config.attribute_map}
    assert settings.keys() <= known
    assert {key: getattr(config, key) for key in settings} == settings


@pytest.mark.parametrize("name", SHAPES)
def test_tensor_parallel_is_said_as_transformers_says_it(name: str) -> None:
    plan = AutoConfig.for_model(name).base_model_tp_plan or {}
    # What cuts experts is not followed yet.
    assert family(name).tensor_parallel == bool(plan and not any("experts" in matrices for matrices in plan))


def held(architecture: ArchitectureSpec, dtype: torch.dtype, autocast: bool, attention: str, batch: int, sequence: int) -> int:
    """Bytes of the distinct storages that a model's graph holds, without its parameters."""
    model = build(architecture, attention).to(torch.float32 if autocast else dtype)
    own = {value.untyped_storage().data_ptr() for value in model.parameters()}
    matrices = {value.shape for value in model.parameters()}
    kept: list[weakref.ref[torch.Tensor]] = []

    def keep(value: torch.Tensor) -> torch.Tensor:
        # Autocast keeps weights in the compute dtype: working copies of parameters, not activations.
        place, cast = value.untyped_storage(), {value.shape, value.shape[:-2] + value.shape[:-3:-1]} & matrices
        if place.data_ptr() not in own and not cast:
            kept.append(weakref.ref(value))
        return value

    tokens = torch.zeros(batch, sequence, dtype=torch.long)
    with saved_tensors_hooks(keep, lambda value: value), torch.autocast("cpu", dtype, enabled=autocast):
        output = model(input_ids=tokens, use_cache=False)
    assert output.logits.requires_grad
    # A graph that leads nowhere, as that of picked indices, is gone by now, and so is what it kept.
    alive = (found.untyped_storage() for value in kept if (found := value()) is not None)
    return sum({place.data_ptr(): place.nbytes() for place in alive}.values())


def saved_bytes(name: str, changes: dict[str, Any], dtype: torch.dtype, autocast: bool = False, attention: str = "sdpa") -> float:
    """Bytes a token that one layer holds: what two layers more add."""
    batch, sequence = 2, 48
    few, many = (held(shape(name, **changes, layers=layers), dtype, autocast, attention, batch, sequence) for layers in (2, 4))
    return (many - few) / 2 / (batch * sequence)


# torch's fused attention for the CPU asks for values as wide as keys.
WIDE = LATENT | {"heads": 8, "experts_per_token": 3, "expert_ffn": 320, "qk_nope_head_dim": 24, "v_head_dim": 32}
KEPT: dict[str, list[dict[str, Any]]] = {
    "llama": [{"heads": 8, "kv_heads": 2}, {"hidden": 192, "heads": 4, "head_dim": 96}],
    "qwen2": [{"heads": 8, "kv_heads": 2}],
    "qwen3": [{"heads": 8, "kv_heads": 2}, {"head_dim": 96}],
    "mistral": [{"heads": 8, "kv_heads": 2}],
    "phi3": [{"heads": 8, "kv_heads": 2}, {"rotary_share": 0.75}],
    "gemma": [{"heads": 8, "kv_heads": 2}],
    "gemma2": [{"heads": 8, "kv_heads": 2}, {"attention_softcap": 50.0}],
    "gpt_neox": [{"rotary_share": 0.25, "parallel_residual": True}, {"rotary_share": 0.25}],
    "mixtral": [ROUTED | {"heads": 8, "kv_heads": 2, "router_aux_loss": 0.0}],
    "qwen3_moe": [ROUTED | {"heads": 8, "kv_heads": 2, "experts_per_token": 3, "expert_ffn": 320, "router_aux_loss": 0.0}],
    "deepseek_v3": [WIDE, WIDE | {"q_lora_rank": None, "experts": 16, "experts_per_token": 2}, WIDE | {"first_k_dense_replace": 4}],
    "gpt2": [{}, {"activation": "gelu_tanh"}],
}
# What transformers cannot run with fused attention.
EAGER_ONLY = {"gemma2"}
MEASURED = [(name, {"hidden": 256, "ffn": 704, **changes}) for name, shapes in KEPT.items() for changes in shapes]


FUSED = [(name, changes) for name, changes in MEASURED if name not in EAGER_ONLY]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize(("name", "changes"), FUSED, ids=named)
def test_saved_bytes_equal_what_autograd_holds(name: str, changes: dict[str, Any], dtype: torch.dtype) -> None:
    predicted = family(name).saved_bytes_per_token(shape(name, **changes), dtype.itemsize, Stream(dtype.itemsize))
    assert predicted == pytest.approx(saved_bytes(name, changes, dtype), rel=0.002)


@pytest.mark.parametrize(("name", "changes"), [case for case in FUSED if "experts" not in case[1]], ids=named)
def test_saved_bytes_under_autocast_keep_a_float32_stream(name: str, changes: dict[str, Any]) -> None:
    predicted = family(name).saved_bytes_per_token(shape(name, **changes), 2, Stream(4))
    assert predicted == pytest.approx(saved_bytes(name, changes, torch.bfloat16, autocast=True), rel=0.002)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize(("name", "changes"), MEASURED, ids=named)
def test_eager_attention_keeps_its_scores(name: str, changes: dict[str, Any], dtype: torch.dtype) -> None:
    architecture, model, each = shape(name, **changes), family(name), dtype.itemsize
    predicted = model.saved_bytes_per_token(architecture, each, Stream(each)) + model.eager_bytes_per_token(architecture, each, 48)
    assert predicted == pytest.approx(saved_bytes(name, changes, dtype, attention="eager"), rel=0.002)


@pytest.mark.parametrize("name", SHAPES)
def test_flops_count_every_matrix_multiplication_of_a_step(name: str) -> None:
    architecture, sequence = shape(name, **SHAPES[name][0]), 32
    with torch.device("meta"):
        # Grouped multiplications of other types have no shapes without a device.
        model = build(architecture).to(torch.bfloat16)
        tokens = torch.zeros(1, sequence, dtype=torch.long)
    grouped = {torch.ops.aten._grouped_mm: lambda first, second, *_, **__: 2 * first[0] * first[1] * second[-1]}
    with FlopCounterMode(display=False, custom_mapping=grouped) as counter:
        model(input_ids=tokens, labels=tokens).loss.backward()
    assert family(name).flops_per_token(architecture, sequence) * sequence == counter.get_total_flops()


@pytest.mark.parametrize("rope", [Llama3(factor=8.0), Yarn(factor=4.0, original_sequence=32)], ids=["llama3", "yarn"])
def test_rescaled_positions_turn_otherwise(rope: Llama3 | Yarn) -> None:
    plain, rescaled = build(shape("llama")), build(shape("llama", rope=rope))
    assert not torch.equal(plain.model.rotary_emb.inv_freq, rescaled.model.rotary_emb.inv_freq)
