"""What the config.json of a local model says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..files import SpecFiles


def stated(files: SpecFiles, path: str) -> Mapping[str, Any]:
    """The settings; none where the file is missing, which is TRN607's, or no JSON, which is transformers' to explain."""
    try:
        content = json.loads(files.text(f"{path}/config.json") or "{}")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


@dataclass(frozen=True, slots=True)
class Quantised:
    """How weights come quantised: by which method, and as which `quantization` of the language, None where it has none."""

    method: str
    storage: str | None
    double: bool | None


def quantised(files: SpecFiles, path: str) -> Quantised | None:
    """What transformers writes beside quantised weights; None for others."""
    found = stated(files, path).get("quantization_config")
    if not isinstance(found, dict):
        return None
    method = str(found.get("quant_method", "quantised"))
    if method == "bitsandbytes" and found.get("load_in_8bit"):
        return Quantised(method, "int8", None)
    if method == "bitsandbytes" and found.get("load_in_4bit") and found.get("bnb_4bit_quant_type") == "nf4":
        return Quantised(method, "nf4", bool(found.get("bnb_4bit_use_double_quant")))
    return Quantised(method, None, None)
