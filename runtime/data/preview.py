"""Shows what is learnt of a stage's first rows, token by token: `python -m trainc.runtime.data.preview FOLDER ROOT COUNT`.

FOLDER holds the stage's plan, ROOT is the data root. Writes JSON to standard output; exit code 1 with a sentence on standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerFast

from .. import planfile
from ..errors import StageError
from . import tokenizer
from .encoding import Encoded, encoded
from .formats import Document
from .reader import Reader, reader
from .templates import markers, template_of


def preview(folder: Path, root: Path, count: int) -> list[dict[str, Any]]:
    """The first documents: their places, and of each token its id, its text and whether it is learnt."""
    plan = planfile.read(folder / "plan.json")
    rows = reader(plan.data, root, folder)
    settings = plan.data.tokenizer
    pretrained = None if settings.kind == "bpe" else tokenizer.load(tokenizer.place(settings, root, _not_yet))
    template = template_of(plan.data, pretrained, rows.template)

    def documents(limit: int | None = None) -> Iterator[tuple[str, Document]]:
        return rows.documents(islice(rows.contents(plan.data.train), limit), template)

    texts = (document.text for _, document in documents())
    made = pretrained or tokenizer.train(settings, texts, markers(template.source))
    return [_shown(place, found, made, rows) for place, found in encoded(made, documents(count))]


def _not_yet(stage: str) -> Path:
    raise StageError(f"the tokenizer is the one that stage `{stage}` exports: show that stage's data")


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
