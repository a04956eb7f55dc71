"""The token files that all ranks read: rank 0 finds or makes them, the others wait."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch.distributed as dist

from ..errors import StageError
from ..planfile import RunData
from ..stage import Run
from . import tokenizer
from .batches import TokenSamples
from .making import make
from .packing import WholeDocuments
from .reader import reader
from .samples import Samples
from .writing import TOKENS

POLL_SECONDS = 0.1
SHOWN_WITHIN_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Corpus:
    """Tokenized documents. `key` names their content; `heldout` is None when nothing is held out.

    `turn_end` is the token that ends answers, None where there are none or their template has no such token.
    """

    key: str
    tokenizer: Path
    vocab: int
    end_of_text: int
    turn_end: int | None
    train: TokenSamples
    heldout: TokenSamples | None


def prepare(data: RunData, run: Run) -> Corpus:
    """The corpus in the cache; rank 0 makes it if it is not there yet."""
    # Ranks that wait ask the store and take part in no collective: tokenizing may take longer than one may last.
    key = _publish(_make(data, run), run) if run.leads else _await(run)
    index = json.loads((run.cache / key / "index.json").read_text(encoding="utf-8"))
    corpus = _open(run.cache / key, key, index, data)
    _refuse_another_view(corpus, run)
    if len(corpus.train) == 0:
        raise StageError(_too_little(data, "training"))
    if run.plan.evaluation and (corpus.heldout is None or len(corpus.heldout) == 0):
        raise StageError(f"{_too_little(data, 'held-out')}: hold out more, name an evaluation source, or leave evaluation out")
    if run.leads:
        utilisation = {"utilisation": corpus.train.utilisation} if isinstance(corpus.train, WholeDocuments) else {}
        run.folder.event("data", samples=len(corpus.train), left_out=index["left_out"], **index["train"], **utilisation)
    return corpus


def _too_little(data: RunData, which: str) -> str:
    if data.format == "text":
        return f"the {which} documents hold fewer than {data.sequence + 1} tokens: not one sample of {data.sequence}"
    return f"no {which} document is left that is short enough and has something to learn"


def _make(data: RunData, run: Run) -> str:
    settings = data.tokenizer
    pretrained = None if settings.kind == "bpe" else tokenizer.load(tokenizer.place(settings, run.data_root, run.export_of))
    return make(reader(data, run.data_root, run.stage_folder), pretrained, run.cache)


def _refuse_another_view(corpus: Corpus, run: Run) -> None:
    """A node whose cache is not rank 0's, or not wholly there, would train on other samples under the same numbers."""
    mine = (corpus.vocab, len(corpus.train), 0 if corpus.heldout is None else len(corpus.heldout))
    views: list[tuple[int, int, int]] = [mine] * run.world_size
    dist.all_gather_object(views, mine)
    others = [rank for rank, view in enumerate(views) if view != views[0]]
    if others:
        (vocab, train, held), rank = views[others[0]], others[0]
        raise StageError(
            f"rank {rank} reads {train} training and {held} held-out samples over {vocab} tokens from {run.cache / corpus.key}, "
            f"rank 0 reads {views[0][1]}, {views[0][2]} and {views[0][0]}: remove that folder on the node of rank {rank}"
        )


def _publish(key: str, run: Run) -> str:
    run.store.set("corpus", key)
    return key


def _await(run: Run) -> str:
    while not run.store.check(["corpus"]):
        time.sleep(POLL_SECONDS)
    key = run.store.get("corpus").decode()
    # A shared file system may show a new folder to other nodes a little later.
    deadline = time.monotonic() + min(SHOWN_WITHIN_SECONDS, run.timeout.total_seconds())
    while not (run.cache / key / "index.json").exists():
        if time.monotonic() > deadline:
            raise StageError(
                f"rank {run.rank} finds no {run.cache / key}, which rank 0 made: TRAINC_CACHE_DIR must be shared by all nodes"
            )
        time.sleep(POLL_SECONDS)
    return key


def _open(folder: Path, key: str, index: dict[str, Any], data: RunData) -> Corpus:
    held = index["heldout"]["tokens"] > 0
    return Corpus(
        key=key,
        tokenizer=folder / "tokenizer",
        vocab=index["vocab"],
        end_of_text=index["end_of_text"],
        turn_end=index["turn_end"],
        train=_samples(folder / "train", index, data),
        heldout=_samples(folder / "heldout", index, data) if held else None,
    )


def _samples(stem: Path, index: dict[str, Any], data: RunData) -> TokenSamples:
    if data.format == "text":
        separator = index["end_of_text"] if data.packing else None
        return Samples(stem.with_suffix(TOKENS), index["dtype"], data.sequence, separator)
    return WholeDocuments(stem, index["dtype"], data.sequence, padding=index["end_of_text"], packed=data.packing)
