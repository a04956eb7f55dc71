"""Every module of the standard library means what it says."""

import re
from pathlib import Path

import pytest
from trainc.compiler.elaborate import elaborate
from trainc.compiler.families import family
from trainc.compiler.loader import STDLIB, load, standard_modules
from trainc.compiler.resolve import resolve
from trainc.dsl import ast
from trainc.dsl.parser import parse
from trainc.dsl.source import Source

KINDS = ("gpu", "cluster", "model")
SPEC = """
import std.gpus as devices
import std.models.tiny as small
import {module} as m
gpu card = {gpu} {{}}
cluster here = {cluster}
mesh pair {{ cluster = here, dp_shard = here.gpus_per_node }}
data corpus {{ train = python_stdlib, sequence = 128 }}
stage probe {{
  model = {model}
  data = corpus
  mesh = pair
  batch {{ micro = 1 }}
  optimizer = adamw {{ lr = 1e-4 }}
  duration = 1 steps
}}
"""


def path_of(module):
    return STDLIB.joinpath(*module.split(".")[1:]).with_suffix(".train")


def declarations(module):
    file = parse(Source(module, path_of(module).read_text())).file
    return [item for item in file.items if isinstance(item, ast.Declaration) and item.kind.text in KINDS]


DECLARED = [(module, item) for module in standard_modules() for item in declarations(module)]
MODELS = [(module, item) for module, item in DECLARED if item.kind.text == "model"]


def stage(module, item):
    """A stage on the declaration, and every finding."""
    parts = {"gpu": "devices.host", "model": "small.llama_1m", "cluster": "devices.host"}
    parts = {**parts, item.kind.text: f"m.{item.name.text}"}
    if item.kind.text != "cluster":
        parts["cluster"] = "{ gpu = card, gpus_per_node = 2 }"
    text = SPEC.format(module=module, **parts).replace("cluster here = {", "cluster here {")
    library = load(Path("probe.train"), text)
    resolved = resolve(library)
    meaning = elaborate(resolved, {})
    findings = [*library.findings, *resolved.findings, *meaning.findings]
    return meaning.pipeline.stages[0] if meaning.pipeline else None, findings


@pytest.mark.parametrize(("module", "item"), DECLARED, ids=lambda part: part if isinstance(part, str) else part.name.text)
def test_declarations_elaborate_without_findings(module, item):
    probe, findings = stage(module, item)
    assert findings == []
    assert probe is not None


@pytest.mark.parametrize("module", standard_modules())
def test_modules_parse_without_findings(module):
    assert parse(Source(module, path_of(module).read_text())).findings == ()


@pytest.mark.parametrize(("module", "item"), MODELS, ids=lambda part: part if isinstance(part, str) else part.name.text)
def test_stated_parameters_equal_computed(module, item):
    stated = re.search(r"([\d,]+) parameters", item.doc or "")
    probe, _ = stage(module, item)
    shape = probe.model.architecture
    assert int(stated.group(1).replace(",", "")) == sum(family(shape.family).parameters(shape).values())


# What the model cards of the repositories say, in billions.
PUBLISHED = {
    "llama3_1_8b": 8,
    "llama3_1_70b": 70,
    "llama3_1_405b": 405,
    "smollm2_135m_instruct": 0.135,
    "llama3_2_1b": 1.23,
    "llama3_2_3b": 3.21,
    "qwen2_5_500m": 0.49,
    "qwen2_5_7b": 7.61,
    "qwen2_5_72b": 72.7,
    "qwen3_600m": 0.6,
    "qwen3_8b": 8.2,
    "mistral_7b": 7.24,
    "mixtral_8x7b": 46.7,
    "qwen3_30b_a3b": 30.5,
    "deepseek_v3_671b": 671,
    "moonlight_16b_a3b": 16,
    "gemma_2b": 2.51,
    "gemma_7b": 8.54,
    "gemma2_2b": 2.61,
    "phi3_mini": 3.82,
    "gpt2_small": 0.124,
    "pythia_70m": 0.0704,
    "pythia_410m": 0.4053,
    "pythia_1_4b": 1.4146,
    "pythia_6_9b": 6.8573,
}


@pytest.mark.parametrize(("name", "billions"), PUBLISHED.items())
def test_computed_parameters_are_within_a_percent_of_the_published_count(name, billions):
    module, item = next((module, item) for module, item in MODELS if item.name.text == name)
    shape = stage(module, item)[0].model.architecture
    assert sum(family(shape.family).parameters(shape).values()) == pytest.approx(billions * 1e9, rel=0.01)


@pytest.mark.parametrize("item", [item for _, item in DECLARED], ids=lambda item: item.name.text)
def test_every_declaration_says_where_its_figures_are_from(item):
    assert item.doc
