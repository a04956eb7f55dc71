"""Every family can be split by layer: the parts, one after the other, make what the whole model makes."""

import copy
import pkgutil
from types import SimpleNamespace

import pytest
import torch
from meshes import laid_out
from trainc.compiler import families
from trainc.compiler.spec import ArchitectureSpec
from trainc.runtime.axes import pp
from transformers import AutoConfig, AutoModelForCausalLM

FAMILIES = sorted(module.name for module in pkgutil.iter_modules(families.__path__) if not module.ispkg)
SHAPE = {"layers": 4, "hidden": 64, "ffn": 128, "heads": 4, "vocab": 256, "max_sequence": 128}


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_parts_compute_what_the_model_does(family, tied):
    sparse = {"experts": 4, "experts_per_token": 2} if "experts" in families.family(family).reads else {}
    needed = dict.fromkeys(families.family(family).needs, 8)
    architecture = ArchitectureSpec(family=family, tied_embeddings=tied, **SHAPE, **sparse, **needed)
    # A release's padding token lies beyond a small vocabulary.
    config = AutoConfig.for_model(family, **families.family(family).config(architecture), pad_token_id=None)
    model = AutoModelForCausalLM.from_config(config).eval()
    tokens = torch.arange(48).reshape(2, 24) % 256
    with torch.no_grad():
        expected = model(tokens, use_cache=False).logits
        stream = tokens
        mesh = laid_out(pp=2, schedule="zbv", virtual_stages=2, split=[1, 1, 1, 1])
        modules = {}
        for place in (0, 1):
            run = SimpleNamespace(plan=SimpleNamespace(mesh=mesh), meshes=SimpleNamespace(index=lambda _, place=place: place))
            cut = copy.deepcopy(model)
            pp.apply(cut, run, run.plan)
            cut.load_state_dict(model.state_dict(), strict=False)
            modules |= {
                part.index: module for part, module in zip(pp.parts_of(mesh, place), pp.callable_parts(cut, run), strict=True)
            }
        for index in range(4):
            stream = modules[index](stream)
    assert torch.equal(stream, expected)
