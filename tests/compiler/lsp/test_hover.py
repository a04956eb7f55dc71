from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pygls")

SPEC = """
import std.gpus
import std.models.tiny as small
import "./parts.train"
param length: extent = 300 steps
let width = 2
## Both GPUs
## of this machine.
cluster here { gpu = gpus.host, gpus_per_node = width, cpu_memory = 80 GB }
mesh pair { cluster = here, dp_shard = 2 }
precision exact { compute = fp32 }
data corpus { train = python_stdlib, holdout = 5%, sequence = max(128, 256) }
stage base {
  model     = small.llama_1m
  data      = corpus
  mesh      = pair
  precision = exact
  batch     { global = 16, micro = 4 }
  optimizer = adamw { lr = parts.rate }
  schedule  = cosine { warmup = 10% }
  duration  = length              # trainc: allow TRN305 -- a test
}
assert base.plan.peak_memory < 1 TB and base.plan.peak_memory_breakdown.logits < 1 TB and base.batch.accumulation == 2
"""
PARTS = "let rate = 1e-3\n"


@pytest.fixture
def spec(editor: Any) -> Any:
    (editor.folder / "parts.train").write_text(PARTS)
    return editor.open("spec.train", SPEC)


def shown(spec: Any, words: str, offset: int = 0) -> str:
    answer = spec.ask("hover", spec.at(words, offset))
    text: str = answer["contents"]["value"]
    return text


def test_a_field_shows_type_meaning_default_and_value_with_its_place(spec: Any) -> None:
    text = shown(spec, "cpu_memory")
    assert "cpu_memory: bytes" in text
    assert "Host memory of a node." in text
    assert "Value: `80 GB` = 74.5 GiB" in text
    assert "[spec.train:9](" in text


def test_a_field_says_what_a_change_does_to_a_run_that_has_begun(spec: Any) -> None:
    assert "Changed after a checkpoint: it is another run, which begins anew." in shown(spec, "sequence")
    assert "Changed after a checkpoint: a run can go on from its checkpoint." in shown(spec, "lr =")


def test_a_field_names_the_way_of_its_value(spec: Any) -> None:
    text = shown(spec, "gpus_per_node")
    assert "Value: `2`" in text
    assert "`width` comes from [spec.train:6]" in text


def test_a_field_that_is_derived_shows_what_the_plan_makes_of_it(spec: Any) -> None:
    assert "Value: `2`, derived" in shown(spec, "accumulation")


def test_a_default_says_that_nothing_sets_it(editor: Any) -> None:
    document = editor.open("a.train", "import std.gpus\ncluster c { gpu = gpus.l4, gpus_per_node = 1 }\nlet n = c.nodes")
    assert "Nothing sets it: this is the default." in shown(document, "nodes", 1)


def test_a_declared_name_shows_its_declaration_and_doc_comment(spec: Any) -> None:
    text = shown(spec, "here,")
    assert "cluster here" in text
    assert "Both GPUs\nof this machine." in text


def test_a_name_of_a_standard_module_shows_its_doc_and_file(spec: Any) -> None:
    text = shown(spec, "llama_1m")
    assert "model llama_1m" in text
    assert "1,049,728 parameters" in text
    assert "std.models.tiny:" in text


def test_a_let_of_another_file_shows_its_value(spec: Any) -> None:
    text = shown(spec, "rate")
    assert "let rate = 1e-3" in text
    assert "Value: `0.001`" in text
    assert "parts.train:1" in text


def test_a_record_shows_the_values_that_its_fields_have_in_the_end(spec: Any) -> None:
    assert "cluster here {\n  gpu = host\n  nodes = 1\n  gpus_per_node = 2\n  cpu_memory = 80 GB\n}" in shown(spec, "here,")
    assert "batch {\n  global = 16\n  micro = 4\n}" in shown(spec, "batch ")


def test_a_param_shows_its_value(spec: Any) -> None:
    assert "Value: `300 steps`" in shown(spec, "length  ")


def test_an_alias_shows_the_names_of_its_module(spec: Any) -> None:
    assert "`llama_1m`" in shown(spec, "small.")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("fp32", "one of `fp32`, `bf16`"),
        ("adamw", "Adam with decoupled weight decay"),
        ("cluster here", "Equal nodes of equal GPUs"),
        ("std.gpus", "`h100_sxm`"),
        ("max(", "The largest of values"),
        ("extent", "A length of training"),
        ("peak_memory", "Predicted bytes a rank at the peak"),
        ("logits", "Logits and their loss"),
        ("80 GB", "`80 GB` = 74.5 GiB"),
        ("5%", "`5%` = 0.05"),
        ("TRN305", "**TRN305** (warning)"),
    ],
)
def test_every_sort_of_word_is_explained(spec: Any, words: str, part: str) -> None:
    assert part in shown(spec, words, 1)


def test_a_place_without_meaning_shows_nothing(spec: Any) -> None:
    assert spec.ask("hover", spec.at("# trainc: allow", 2)) is None
