"""TRN608: a local model's config.json says another shape than the spec.

Why: everything planned from the spec, memory first, would be planned for another model, and weights do not fit another shape
(meta-llama/llama#427); the runtime refuses such a model, but only when the job has its GPUs.
Example:
  model small {
    source    = local { path = "tiny_weights" }
    tokenizer = pretrained { path = "tiny_weights" }
    architecture { layers = 4, hidden = 64, ffn = 128, heads = 4, kv_heads = 2, vocab = 512, tied_embeddings = true }
  }
Instead:
  model small {
    source    = local { path = "tiny_weights" }
    tokenizer = pretrained { path = "tiny_weights" }
    architecture { layers = 2, hidden = 64, ffn = 128, heads = 4, kv_heads = 2, vocab = 512, tied_embeddings = true }
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..families import family
from ..files import SpecFiles
from ..spec import Local, StageSpec
from ..spec.model import FAMILIES
from . import Finding, config_file

# The fields that decide shapes and routes, by what transformers calls them.
FIELDS = {
    "num_hidden_layers": "layers",
    "hidden_size": "hidden",
    "intermediate_size": "ffn",
    "num_attention_heads": "heads",
    "num_key_value_heads": "kv_heads",
    "head_dim": "head_dim",
    "vocab_size": "vocab",
    "tie_word_embeddings": "tied_embeddings",
    "num_local_experts": "experts",
    "num_experts": "experts",
    "num_experts_per_tok": "experts_per_token",
    "moe_intermediate_size": "expert_ffn",
    "n_routed_experts": "experts",
    "n_shared_experts": "shared_experts",
    "first_k_dense_replace": "first_k_dense_replace",
    "n_group": "n_group",
    "topk_group": "topk_group",
    "routed_scaling_factor": "routed_scaling_factor",
    "q_lora_rank": "q_lora_rank",
    "kv_lora_rank": "kv_lora_rank",
    "qk_nope_head_dim": "qk_nope_head_dim",
    "qk_rope_head_dim": "qk_rope_head_dim",
    "v_head_dim": "v_head_dim",
    "n_layer": "layers",
    "n_embd": "hidden",
    "n_inner": "ffn",
    "n_head": "heads",
    "n_positions": "max_sequence",
}


def check_files(stage: StageSpec, files: SpecFiles) -> Iterator[Finding]:
    """Compares what both say; what config.json leaves out is transformers' to choose."""
    source, architecture = stage.model.source, stage.model.architecture
    if not isinstance(source, Local):
        return
    stated = config_file.stated(files, source.path)
    if stated.get("model_type", architecture.family) != architecture.family:
        # Another family has other fields: they are compared once this one is right.
        yield _differs(source.path, "family", architecture.family, stated["model_type"])
        return
    planned = family(architecture.family).config(architecture)
    for name, field in FIELDS.items():
        found = stated.get(name)
        if found is not None and name in planned and planned[name] not in (found, None):
            yield _differs(source.path, field, planned[name], found)


def _differs(path: str, field: str, planned: object, found: object) -> Finding:
    place = f"model.architecture.{field}"
    values = f"`{field}` is {_shown(planned)}, config.json of `{path}` says {_shown(found)}"
    if field == "family" and found not in FAMILIES:
        return Finding(place, values, "choose a model of a family that this version knows")
    # The weights are what they are: only the spec can be wrong.
    return Finding(place, values, f"set `{field} = {_shown(found)}`", set={place: _shown(found)})


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
