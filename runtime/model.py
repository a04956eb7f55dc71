"""Builds the model that the plan names, and gives it its weights."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from .adapters.inject import inject
from .data import Corpus
from .errors import StageError
from .network import DTYPES, Network
from .planfile import RunModel
from .quantization import quantise, refuse_other_storage
from .stage import Run

# How transformers calls the kinds of attention that have another name there.
ATTENTION = {"flash": "flash_attention_2", "flex": "flex_attention"}

# What a model with weights may state otherwise: how fresh ones were drawn, and how far positions go. The width of a head may be
# left out; another one shows in the number of parameters.
_FREE = ("initializer_range", "max_position_embeddings", "head_dim")


def build(settings: RunModel, corpus: Corpus, run: Run) -> PreTrainedModel:
    """The model on the meta device: its shape, without memory; refuses one that differs from what was compiled."""
    run.memory.begin()
    _refuse_unsupported(settings, run.device)
    config = _config(settings, corpus, run)
    _refuse_another(config, settings)
    with torch.device("meta"):
        model = _from_config(config, settings, run)
    count = sum(parameter.numel() for parameter in model.parameters())
    if count != settings.parameters:
        raise StageError(
            f"the model has {count} parameters, the plan was compiled for {settings.parameters}: "
            "the model changed since, compile again"
        )
    if corpus.vocab > config.vocab_size:
        raise StageError(f"the tokenizer has {corpus.vocab} entries, the model's vocabulary {config.vocab_size}")
    return model.train()


def _refuse_unsupported(settings: RunModel, device: torch.device) -> None:
    if settings.attention in ATTENTION and device.type == "cpu":
        raise StageError(f"{settings.attention} attention does not train on a CPU: set attention = sdpa, or run on GPUs")


def _refuse_another(config: PretrainedConfig, settings: RunModel) -> None:
    """What comes with the weights decides how they compute: a plan that says otherwise would be ignored."""
    planned = AutoConfig.for_model(settings.model_type, **settings.config)
    if config.model_type != settings.model_type:
        raise StageError(
            f"the model is a `{config.model_type}`, the plan was compiled for a `{settings.model_type}`: compile again"
        )
    for name in settings.config:
        stated, wanted = _words(getattr(config, name)), _words(getattr(planned, name))
        if stated != wanted and name not in _FREE:
            raise StageError(
                f"the model's `{name}` is {stated}, the plan was compiled for {wanted}: "
                "correct the spec's architecture and compile again"
            )


def _words(value: Any) -> Any:
    """A setting in today's words: releases of before call `rope_type` `type`, and transformers keeps both."""
    return {name: entry for name, entry in value.items() if name != "type"} if isinstance(value, dict) else value


def load(network: Network, settings: RunModel, run: Run) -> None:
    """Rank 0 makes or reads the weights and sends every other rank its part."""
    network.weights.put(_weights(network.model.config, settings, run) if run.leads else {})


def _weights(config: PretrainedConfig, settings: RunModel, run: Run) -> dict[str, torch.Tensor]:
    if settings.source != "random":
        return _adapted(_pretrained(settings, run), run)
    # The weights follow from the seed alone: made whole on one CPU, whatever the mesh, and off the run's own generator.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(run.plan.seed)
        # transformers writes the attention into the config that it is given, which is the network's: cp has put its own there.
        return _adapted(_from_config(copy.deepcopy(config), settings, run), run)


def _pretrained(settings: RunModel, run: Run) -> PreTrainedModel:
    place = run.model_place()
    # What is quantised needs no more than the file has. transformers would put quantised weights on a GPU.
    few_bits = {"dtype": "auto", "device_map": "cpu"}
    more = few_bits if settings.quantization else {"dtype": DTYPES[run.plan.precision.params]}
    try:
        return AutoModelForCausalLM.from_pretrained(place, revision=settings.revision, **more)
    except (OSError, ValueError, ImportError) as fault:
        raise StageError(f"cannot load the model `{place}`: {str(fault).strip().splitlines()[0]}") from fault


def _adapted(model: PreTrainedModel, run: Run) -> dict[str, torch.Tensor]:
    """The weights in the storage that the plan asks for, with those that an adapter begins with."""
    if run.plan.model.quantization:
        quantise(model, run.plan.model.quantization, run.device, DTYPES[run.plan.precision.params])
    if run.plan.adapter:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(run.plan.seed)
            inject(model, run.plan.adapter)
    return model.state_dict()


def _from_config(config: PretrainedConfig, settings: RunModel, run: Run) -> PreTrainedModel:
    attention, dtype = ATTENTION.get(settings.attention, settings.attention), DTYPES[run.plan.precision.params]
    try:
        return AutoModelForCausalLM.from_config(config, attn_implementation=attention, dtype=dtype)
    except ImportError as fault:
        # transformers says which package is missing, or why the one that is there does not work.
        raise StageError(f"{settings.attention} attention cannot be used: {str(fault).strip().splitlines()[0]}") from fault


def _config(settings: RunModel, corpus: Corpus, run: Run) -> PretrainedConfig:
    if settings.source == "random":
        # The tokenizer was made for this run, so its special tokens are the model's: a family's own padding would be some word.
        special = {"bos_token_id": corpus.end_of_text, "eos_token_id": corpus.end_of_text, "pad_token_id": None}
        return AutoConfig.for_model(settings.model_type, **{**settings.config, **special})
    place: str | Path = run.model_place()
    try:
        config = AutoConfig.from_pretrained(place, revision=settings.revision, **_training(settings))
    except (OSError, ValueError) as fault:
        raise StageError(f"cannot load the model `{place}`: {str(fault).strip().splitlines()[0]}") from fault
    if stated := getattr(config, "quantization_config", None):
        refuse_other_storage(stated, settings.quantization, str(place))
        # Nothing that is made from the configuration is quantised by it: the network is by the plan, the export not at all.
        del config.quantization_config
    return config


def _training(settings: RunModel) -> dict[str, object]:
    """The plan's dropout, balance of experts and number of layers that predict more than the next token, which is none.

    Weights of the others do not depend on those that they were trained with before.
    """
    chosen = ("dropout", "pdrop", "router_logits", "router_aux_loss_coef", "mtp_layers")
    return {name: value for name, value in settings.config.items() if name.endswith(chosen)}
