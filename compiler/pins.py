"""The exact packages that a bundle's nodes install: what the runtime was tested with."""

from __future__ import annotations

from collections.abc import Iterable

PINS = {
    "numpy": "2.4.6",
    "safetensors": "0.8.0",
    "tensorboard": "2.21.0",
    "tokenizers": "0.23.3",
    "torch": "2.13.0",
    "transformers": "5.24.0",
}


# What only some bundles need: by what a stage's `compute`, its optimizer and its `quantization` are, for adapters, for columnar
# files, and for zero1, zero2 and zero3.
TORCHAO = {"torchao": "0.18.0"}
FOR_SETTING = {"fp8": TORCHAO, "adamw8bit": TORCHAO, "nf4": {"bitsandbytes": "0.50.2"}}
ADAPTER_PINS = {"peft": "0.21.2"}
PARQUET_PINS = {"pyarrow": "26.0.1"}
DEEPSPEED_PINS = {"deepspeed": "0.19.8", "ninja": "1.13.2"}


def requirements(settings: Iterable[str], *, with_adapters: bool, with_deepspeed: bool, with_parquet: bool) -> str:
    """The text of a bundle's requirements.txt, for stages that have these settings."""
    pins = PINS | {name: version for setting in settings for name, version in FOR_SETTING.get(setting, {}).items()}
    pins |= ADAPTER_PINS if with_adapters else {}
    pins |= PARQUET_PINS if with_parquet else {}
    pins |= DEEPSPEED_PINS if with_deepspeed else {}
    return "".join(f"{name}=={version}\n" for name, version in sorted(pins.items()))
