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


def requirements() -> str:
    """The text of a bundle's requirements.txt."""
    return "".join(f"{name}=={version}\n" for name, version in sorted(PINS.items()))
