"""TRN632: the objective learns completions and the data marks none, or the other way round.

Why: whether prompts are learnt too changes the model, and nothing in a run shows it: huggingface/open-r1#648 found that a loss on
completions had been switched off by the shape of the data. The objective says it, and the data must be able to.
Example:
  data pairs { train = jsonl { path = "corpus/pairs.jsonl" }, format = completion, holdout = 5%, sequence = 2048 }
  stage tuned = pretrain { data = pairs, objective = causal }
Instead:
  stage tuned = pretrain { data = pairs, objective = sft }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import Causal, Sft, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Compares what is learnt."""
    data, objective = stage.data, stage.objective
    if isinstance(objective, Sft) and not data.learns_completions:
        wanted = (
            "choose the format `completion` or `chat`"
            if not data.whole
            else "leave `completions_only` out of the data, or set `objective = causal`"
        )
        yield Finding("objective", f"`sft` learns completions, the data `{data.name}` marks none", wanted, _where(stage))
    if isinstance(objective, Causal) and data.whole and data.learns_completions:
        yield Finding(
            "objective",
            f"`causal` learns all tokens, of the data `{data.name}` completions only are learnt",
            "set `objective = sft`; or `completions_only` to false in the data",
            _where(stage),
        )


def _where(stage: StageSpec) -> dict[str, str]:
    return {"data.format": f"`format` is {stage.data.format}"}
