"""Writes the finished model so that plain transformers loads it: safetensors, config.json, and the tokenizer."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, PretrainedConfig

from ..adapters.merge import merged
from ..data import Corpus
from ..errors import StageError
from ..network import DTYPES, Network
from ..planfile import RunPlan
from ..quantization import put_whole
from ..stage import Run

# The adapter alone; the model beside it has it in its matrices.
ADAPTER = "adapter"


def export(network: Network, corpus: Corpus, run: Run) -> None:
    """Gathers the weights on rank 0, which writes `export/` under another name and renames it."""
    weights = network.weights.whole()
    if run.leads:
        partial = run.folder.export.with_suffix(".partial")
        try:
            shutil.rmtree(partial, ignore_errors=True)
            _write(network.model.config, weights, corpus, run.plan, partial)
            shutil.rmtree(run.folder.export, ignore_errors=True)
            partial.rename(run.folder.export)
        except (OSError, SafetensorError) as fault:
            raise StageError(f"cannot write the export {run.folder.export}: {_reason(fault)}") from fault
        run.folder.event("exported", path="export")
    dist.barrier()


def _write(config: PretrainedConfig, weights: dict[str, Any], corpus: Corpus, plan: RunPlan, folder: Path) -> None:
    # A fresh model, because the trained one's class may have been replaced by its sharded kin, whose name transformers
    # would write into config.json.
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(copy.deepcopy(config))
    if plan.model.quantization:
        weights = put_whole(weights, model, plan.model.quantization, DTYPES[plan.precision.params])
    if plan.adapter:
        model = merged(model, weights, plan.adapter, plan.model, folder / ADAPTER)
        weights = model.state_dict()
    if corpus.turn_end not in (None, corpus.end_of_text):
        # Who generates would otherwise run on after the end of an answer.
        model.generation_config.eos_token_id = [corpus.end_of_text, corpus.turn_end]
    model.save_pretrained(folder, state_dict=weights)
    shutil.copytree(corpus.tokenizer, folder, dirs_exist_ok=True)


def _reason(fault: Exception) -> str:
    return (fault.strerror or str(fault)).lower() if isinstance(fault, OSError) else str(fault)
