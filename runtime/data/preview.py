"""Shows what is learnt of a stage's first rows, token by token: `python -m trainc.runtime.data.preview FOLDER ROOT COUNT`.

FOLDER holds the stage's plan, ROOT is the data root. Writes JSON to standard output; exit code 1 with a sentence on standard error.
"""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerFast

from .. import planfile
from ..errors import StageError
from . import tokenizer
from .encoding import Encoded, encoded
from .reader import Reader, reader
from .templates import markers, template_of


def preview(folder: Path, root: Path, count: int) -> list[dict[str, Any]]:
    """The first documents: their places, and of each token its id, its text and whether it is learnt."""
    plan = planfile.read(folder / "plan.json")
    rows = reader(plan.data, root, folder)
    pretrained = _pretrained(plan, root)
    template = template_of(plan.data, pretrained, rows.template)

    def documents(limit: int | None = None) -> Any:
        return rows.documents(islice(rows.contents(plan.data.train), limit), template)

    texts = (document.text for _, document in documents())
    made = pretrained or tokenizer.train(plan.data.tokenizer, texts, markers(template.source))
    return [_shown(place, found, made, rows) for place, found in encoded(made, documents(count))]


def _pretrained(plan: planfile.RunPlan, root: Path) -> PreTrainedTokenizerFast | None:
    settings = plan.data.tokenizer
    match settings.kind:
        case "bpe":
            return None
        case "stage":
            raise StageError(f"the tokenizer is the one that stage `{settings.path}` exports: show that stage's data")
    path = settings.path or plan.model.path or ""
    local = root / path
    return tokenizer.load(local if local.is_dir() else path)


def _shown(place: str, found: Encoded, made: PreTrainedTokenizerFast, rows: Reader) -> dict[str, Any]:
    kept = rows.data.sequence + 1 if rows.format.whole else None
    tokens = [[int(token), made.decode([token]), bool(learnt)] for token, learnt in zip(found.tokens, found.learnt, strict=True)]
    # The first token of a document is nobody's target.
    tokens[0][2] = tokens[0][2] and not rows.format.whole
    return {"place": place, "tokens": tokens, "fits": kept is None or len(tokens) <= kept}


if __name__ == "__main__":
    try:
        print(json.dumps(preview(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))))
    except (StageError, planfile.PlanFileError) as fault:
        sys.exit(str(fault))
