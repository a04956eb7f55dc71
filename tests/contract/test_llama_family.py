"""The family's arithmetic against transformers' own Llama."""

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from trainc.compiler.families import family
from trainc.compiler.spec import ArchitectureSpec
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRotaryEmbedding

llama = family("llama")


def shape(**changes):
    base = {"family": "llama", "layers": 2, "hidden": 64, "ffn": 176, "heads": 4, "vocab": 256, "max_sequence": 128}
    return ArchitectureSpec(**{**base, **changes})


LLAMA_8B = {"layers": 32, "hidden": 4096, "ffn": 14336, "heads": 32, "kv_heads": 8, "vocab": 128256, "max_sequence": 131072}
LLAMA_70B = LLAMA_8B | {"layers": 80, "hidden": 8192, "ffn": 28672, "heads": 64}
COUNTED = {
    "tiny": {},
    "tied": {"tied_embeddings": True},
    "grouped": {"kv_heads": 2},
    "one_kv_head": {"kv_heads": 1, "layers": 3},
    "head_dim": {"head_dim": 24, "kv_heads": 2},
    "8b": LLAMA_8B,
    "70b": LLAMA_70B,
    "tied_1b": LLAMA_8B | {"layers": 16, "hidden": 2048, "ffn": 8192, "head_dim": 64, "tied_embeddings": True},
}


@pytest.mark.parametrize("changes", COUNTED.values(), ids=COUNTED)
def test_parameters_equal_those_of_transformers(changes):
    architecture = shape(**changes)
    with torch.device("meta"):
        model = LlamaForCausalLM(LlamaConfig(**llama.config(architecture)))
    assert sum(llama.parameters(architecture).values()) == sum(value.numel() for value in model.parameters())
    layer = sum(value.numel() for value in model.model.layers[0].parameters())
    assert llama.layer_parameters(architecture) == layer


def test_config_carries_every_setting_of_the_architecture():
    architecture = shape(kv_heads=2, head_dim=24, rope_theta=500_000.0, norm_epsilon=1e-6, tied_embeddings=True)
    config = LlamaConfig(**llama.config(architecture))
    assert (config.num_key_value_heads, config.head_dim, config.tie_word_embeddings) == (2, 24, True)
    assert config.rope_parameters == {"rope_type": "default", "rope_theta": 500_000.0}
    assert (config.rms_norm_eps, config.max_position_embeddings) == (1e-6, 128)


def saved_bytes(architecture, dtype, autocast=False, attention="sdpa", batch=2, sequence=64):
    """Bytes of the distinct storages that a layer's graph holds, without its parameters and the rotation shared by all layers."""
    config = LlamaConfig(**llama.config(architecture), attn_implementation=attention)
    stored = torch.float32 if autocast else dtype
    layer = LlamaDecoderLayer(config, 0).to(stored).train()
    hidden = torch.randn(batch, sequence, architecture.hidden, dtype=stored, requires_grad=True)
    rotation = LlamaRotaryEmbedding(config)(hidden, torch.arange(sequence)[None])
    shared = {value.untyped_storage().data_ptr() for value in (*layer.parameters(), *rotation)}
    matrices = {value.shape for value in layer.parameters()}
    held = {}

    def keep(value):
        # Autocast keeps weights in the compute dtype: working copies of parameters, not activations.
        if value.untyped_storage().data_ptr() not in shared and value.shape not in matrices and value.mT.shape not in matrices:
            held[value.untyped_storage().data_ptr()] = value
        return value

    with saved_tensors_hooks(keep, lambda value: value), torch.autocast("cpu", dtype, enabled=autocast):
        layer(hidden, position_embeddings=rotation)
    return sum(value.untyped_storage().nbytes() for value in held.values()) / (batch * sequence)


SAVED = {
    "grouped": {"hidden": 256, "ffn": 704, "heads": 8, "kv_heads": 2},
    "wide_heads": {"hidden": 256, "ffn": 512, "heads": 4, "head_dim": 96},
    "wide_ffn": {"hidden": 192, "ffn": 1024, "heads": 6, "kv_heads": 3},
}


@pytest.mark.parametrize("changes", SAVED.values(), ids=SAVED)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
def test_saved_bytes_equal_what_autograd_holds(changes, dtype):
    architecture = shape(**changes)
    predicted = llama.saved_bytes_per_token(architecture, dtype.itemsize, dtype.itemsize)
    assert predicted == pytest.approx(saved_bytes(architecture, dtype), rel=0.001)


@pytest.mark.parametrize("changes", SAVED.values(), ids=SAVED)
def test_saved_bytes_under_autocast_keep_a_float32_stream(changes):
    architecture = shape(**changes)
    predicted = llama.saved_bytes_per_token(architecture, 2, 4)
    assert predicted == pytest.approx(saved_bytes(architecture, torch.bfloat16, autocast=True), rel=0.001)


@pytest.mark.parametrize("changes", SAVED.values(), ids=SAVED)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
def test_eager_attention_keeps_its_scores(changes, dtype):
    architecture, size = shape(**changes), dtype.itemsize
    predicted = llama.saved_bytes_per_token(architecture, size, size) + llama.eager_bytes_per_token(architecture, size, 64)
    assert predicted == pytest.approx(saved_bytes(architecture, dtype, attention="eager"), rel=0.001)


def test_flops_count_every_matrix_multiplication_of_a_step():
    from torch.utils.flop_counter import FlopCounterMode

    architecture, sequence = shape(kv_heads=2), 32
    with torch.device("meta"):
        model = LlamaForCausalLM(LlamaConfig(**llama.config(architecture), attn_implementation="eager"))
        tokens = torch.zeros(1, sequence, dtype=torch.long)
    with FlopCounterMode(display=False) as counter:
        model(input_ids=tokens, labels=tokens).loss.backward()
    assert llama.flops_per_token(architecture, sequence) * sequence == counter.get_total_flops()
