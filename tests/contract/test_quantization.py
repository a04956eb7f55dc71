"""What the compiler counts as matrices in few bits is what the runtime stores in them, byte for byte."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch._dynamo
from torch import nn
from trainc.compiler import adapters, quantization
from trainc.compiler.families import family
from trainc.compiler.rules.linear_layers import WITHOUT_LINEAR
from trainc.compiler.spec import Adapter, ArchitectureSpec, ModelSpec, Random
from trainc.compiler.spec.model import FAMILIES
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

pytest.importorskip("bitsandbytes", reason="bitsandbytes is not installed")

from trainc.runtime.planfile import RunAdapter, RunQuantization
from trainc.runtime.quantization import apply
from trainc.runtime.quantization.linear import QuantisedLinear
from trainc.runtime.quantization.storage import storage

pytestmark = pytest.mark.slow

# Rows and blocks that nothing divides evenly.
SIZES = {"layers": 2, "hidden": 72, "ffn": 184, "heads": 4, "vocab": 256, "max_sequence": 128}
UNGROUPED = ("gpt_neox",)
STORAGES: dict[str, dict[str, Any]] = {
    "nf4": {"quantization": "nf4"},
    "single": {"quantization": "nf4", "double_quantization": False},
    "int8": {"quantization": "int8"},
}


def build(spec: ModelSpec, compute: str = "fp32") -> PreTrainedModel:
    """The model without storage, its matrices replaced; refuses another number of parameters than the compiler's."""
    shape = spec.architecture
    settings = family(shape.family).config(shape)
    config = AutoConfig.for_model(shape.family, **settings, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    facts = quantization.facts(spec)
    assert facts is not None
    apply(
        model,
        SimpleNamespace(model=SimpleNamespace(quantization=RunQuantization(**facts)), precision=SimpleNamespace(compute=compute)),
    )
    return model


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in WITHOUT_LINEAR])
@pytest.mark.parametrize("kind", STORAGES)
def test_every_matrix_of_a_layer_is_counted(name: str, kind: str) -> None:
    shape = ArchitectureSpec(family=name, **SIZES, **({} if name in UNGROUPED else {"kv_heads": 2}))
    spec = ModelSpec(name="m", source=Random(), architecture=shape, **STORAGES[kind])
    model = build(spec)
    stored = [getattr(module, part) for module in model.modules() if isinstance(module, QuantisedLinear) for part in module.names]
    assert sum(part.numel() for part in stored) == shape.layers * quantization.layer_bytes(spec)


@pytest.mark.parametrize("kind", STORAGES)
@pytest.mark.parametrize("shape", [(8, 64), (3, 50), (70, 250)])
def test_what_is_packed_has_the_sizes_that_were_promised(kind: str, shape: tuple[int, int]) -> None:
    settings = STORAGES[kind]
    kept = storage(RunQuantization(settings["quantization"], settings.get("double_quantization", True), 0))
    weight = torch.randn(shape, generator=torch.Generator().manual_seed(3))
    parts = kept.pack(weight)
    assert {name: part.numel() for name, part in parts.items()} == kept.sizes(weight.shape)
    error = (kept.unpack(parts, weight.shape, torch.float32) - weight).abs()
    # Half the widest gap between two of the 16 values, of which the largest entry of a block is 1; or of the 255 of a row.
    allowed = weight.abs().max() / (2 * 127) if kind == "int8" else weight.abs().max() * 0.16
    assert error.max() <= allowed


@pytest.mark.parametrize("quantised", ["nf4", "int8"])
def test_bitsandbytes_makes_the_same_matrix(quantised: str) -> None:
    from bitsandbytes.functional import dequantize_4bit, int8_vectorwise_dequant, int8_vectorwise_quant, quantize_4bit

    # Exact in float16, which bitsandbytes rounds to before it quantises to int8.
    weight = torch.randn(96, 128, generator=torch.Generator().manual_seed(5)).half().float()
    kept = storage(RunQuantization(quantised, quantised == "nf4", 0))
    if quantised == "nf4":
        theirs = dequantize_4bit(*quantize_4bit(weight, compress_statistics=True, quant_type="nf4", blocksize=64))
    else:
        theirs = int8_vectorwise_dequant(*int8_vectorwise_quant(weight.half())[:2])
    ours = kept.unpack(kept.pack(weight), weight.shape, torch.float32)
    # An entry in the middle between two values may go either way: the products are rounded otherwise.
    tolerance = 0.0 if quantised == "nf4" else float(weight.abs().max()) / 127 * 1.01
    assert (ours - theirs).abs().max() <= tolerance
    assert ((ours - theirs).abs() > 1e-6).float().mean() < 0.01


def test_an_adapter_is_stored_as_parameters_are_whatever_computes() -> None:
    pytest.importorskip("peft", reason="peft is not installed")
    from trainc.runtime.adapters.inject import inject

    shape = ArchitectureSpec(family="llama", **SIZES, kv_heads=2)
    spec = ModelSpec(name="m", source=Random(), architecture=shape, quantization="nf4")
    model = build(spec, compute="bf16")
    inject(model, RunAdapter(**adapters.facts(Adapter.variants["lora"](), spec)))
    assert {entry.dtype for entry in model.parameters() if entry.requires_grad} == {torch.float32}


@pytest.mark.parametrize("kind", STORAGES)
def test_a_product_is_traced_in_one_graph(kind: str) -> None:
    settings = STORAGES[kind]
    kept = storage(RunQuantization(settings["quantization"], settings.get("double_quantization", True), 0))
    whole = nn.Linear(64, 32).requires_grad_(False)
    module = QuantisedLinear(whole, kept.pack(whole.weight), kept, torch.float32)
    given = torch.randn(4, 64, requires_grad=True)
    assert torch._dynamo.explain(module)(given).graph_break_count == 0
    module(given).sum().backward()
    assert given.grad is not None
    assert torch.allclose(given.grad, module.weight.sum(dim=0).expand(4, 64), atol=1e-6)
