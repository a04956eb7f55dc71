"""The exact packages that a bundle's nodes install: what the runtime was tested with."""

from __future__ import annotations

PINS = {
    "numpy": "2.4.6",
    "safetensors": "0.8.0",
    "tensorboard": "2.21.0",
    "tokenizers": "0.23.3",
    "torch": "2.13.0",
    "transformers": "5.24.0",
}


DEEPSPEED_PINS = {"deepspeed": "0.19.8", "ninja": "1.13.2"}


def requirements(*, with_deepspeed: bool) -> str:
    """The text of a bundle's requirements.txt."""
    pins = PINS | DEEPSPEED_PINS if with_deepspeed else PINS
    return "".join(f"{name}=={version}\n" for name, version in sorted(pins.items()))
