"""Weights that bitsandbytes has quantised before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import nn

from ..errors import StageError
from ..planfile import RunQuantization


def refuse_other_storage(stated: dict[str, Any], planned: RunQuantization | None, place: str) -> None:
    """What config.json says of quantised weights must be what the plan says of them."""
    found = _storage(stated)
    if planned is None or found is None:
        method = stated.get("quant_method", "quantised")
        raise StageError(
            f"the weights of `{place}` are quantised ({method}), and training changes full matrices: convert them to bf16 first"
        )
    if found != (planned.name, planned.double):
        raise StageError(
            f"the weights of `{place}` are stored in {_words(*found)}, "
            f"the plan was compiled for {_words(planned.name, planned.double)}: compile again"
        )


def are_prequantised(matrices: Iterable[nn.Linear]) -> bool:
    """Whether transformers has read bitsandbytes' modules; refuses a model of both kinds."""
    before = [hasattr(matrix.weight, "quant_state") or hasattr(matrix.weight, "SCB") for matrix in matrices]
    if any(before) and not all(before):
        raise StageError(f"{before.count(False)} of {len(before)} matrices of the quantised weights are whole: no plan counts such")
    return any(before)


def _storage(stated: dict[str, Any]) -> tuple[str, bool | None] | None:
    if stated.get("quant_method") == "bitsandbytes" and stated.get("load_in_8bit"):
        return "int8", None
    if stated.get("quant_method") == "bitsandbytes" and stated.get("bnb_4bit_quant_type") == "nf4":
        return "nf4", bool(stated.get("bnb_4bit_use_double_quant"))
    return None


def _words(name: str, double: bool | None) -> str:
    return f"{name} with quantised scales" if double else name
