"""Turns documents into token files once, and finds them again by what went into them."""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

import numpy
import tokenizers
import torch.distributed as dist
from transformers import PreTrainedTokenizerFast

from ..errors import StageError
from ..planfile import RunData
from ..stage import Run
from . import split, tokenizer
from .batches import TokenSamples
from .samples import Samples
from .sources import documents

# Part of every cache key: raise it when the same documents would make other files.
FORMAT = 1
DOCUMENTS_AT_ONCE = 512
POLL_SECONDS = 0.1
SHOWN_WITHIN_SECONDS = 120

log = logging.getLogger("trainc.data")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Tokenized documents. `key` names their content; `heldout` is None when nothing is held out."""

    key: str
    tokenizer: Path
    vocab: int
    end_of_text: int
    train: TokenSamples
    heldout: TokenSamples | None


def prepare(data: RunData, run: Run) -> Corpus:
    """The corpus in the cache; rank 0 makes it if it is not there yet."""
    # Ranks that wait ask the store and take part in no collective: tokenizing may take longer than one may last.
    key = _publish(_make(data, run), run) if run.leads else _await(run)
    corpus = _open(run.cache / key, key, data)
    _refuse_another_view(corpus, run)
    if len(corpus.train) == 0:
        raise StageError(f"the training documents hold fewer than {data.sequence + 1} tokens: not one sample of {data.sequence}")
    if run.plan.evaluation and (corpus.heldout is None or len(corpus.heldout) == 0):
        raise StageError(
            f"the held-out documents do not fill one sample of {data.sequence} tokens: "
            "hold out more, name an evaluation source, or leave evaluation out"
        )
    return corpus


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


def _open(folder: Path, key: str, data: RunData) -> Corpus:
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    cut = {"dtype": index["dtype"], "sequence": data.sequence, "separator": index["end_of_text"] if data.packing else None}
    return Corpus(
        key=key,
        tokenizer=folder / "tokenizer",
        vocab=index["vocab"],
        end_of_text=index["end_of_text"],
        train=Samples(folder / "train.bin", **cut),
        heldout=Samples(folder / "heldout.bin", **cut) if index["heldout"] else None,
    )


def _make(data: RunData, run: Run) -> str:
    """Rank 0's part: reads every document once for its digest, and tokenizes only what the cache does not hold."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    pretrained = None if data.tokenizer.kind == "bpe" else tokenizer.load(_tokenizer_place(run))
    digests = [split.digest(text) for text in documents(data.train, run.data_root)]
    other = [split.digest(text) for text in documents(data.evaluation, run.data_root)] if data.evaluation else []
    apart = frozenset() if data.evaluation else split.held_out(digests, data.holdout)
    key = _key(data, digests, other, pretrained)
    if (run.cache / key / "index.json").exists():
        log.info("tokens found in the cache: %s", key)
        return key
    partial = run.cache / f".{key}.{os.getpid()}.partial"
    try:
        partial.mkdir(parents=True)
        _tokenize(data, run, pretrained, apart, partial)
        _move(partial, run.cache / key)
    except OSError as fault:
        raise StageError(f"cannot write the token cache {run.cache}: {fault.strerror}") from fault
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return key


def _move(partial: Path, folder: Path) -> None:
    try:
        partial.rename(folder)
    except OSError:
        # Another run made the same corpus at the same time.
        if not (folder / "index.json").exists():
            raise


def _tokenizer_place(run: Run) -> str | Path:
    settings = run.plan.data.tokenizer
    match settings.kind:
        case "stage":
            return run.export_of(settings.path or "")
        case "pretrained" if settings.path:
            local = run.data_root / settings.path
            return local if local.is_dir() else settings.path
        case "pretrained":
            return run.model_place()
        case other:
            raise StageError(f"the plan's tokenizer is `{other}`, this runtime knows bpe, pretrained and stage")


def _key(data: RunData, digests: list[bytes], other: list[bytes], pretrained: PreTrainedTokenizerFast | None) -> str:
    total = sha256()
    made = pretrained.backend_tokenizer.to_str() if pretrained else f"{data.tokenizer.vocab} {tokenizers.__version__}"
    header = [FORMAT, data.tokenizer.kind, made, data.holdout, len(digests), len(other)]
    total.update(json.dumps(header).encode())
    for digest in [*digests, *other]:
        total.update(digest)
    return total.hexdigest()[:32]


def _tokenize(data: RunData, run: Run, pretrained: PreTrainedTokenizerFast | None, apart: frozenset[bytes], folder: Path) -> None:
    began = time.monotonic()

    def training() -> Iterator[str]:
        return (text for text in documents(data.train, run.data_root) if split.digest(text) not in apart)

    # Held-out documents stand in the order of their digests: the first batches are a fair draw from all of them.
    evaluation = data.evaluation or data.train
    held = [text for text in documents(evaluation, run.data_root) if data.evaluation or split.digest(text) in apart]
    held.sort(key=split.digest)

    made = pretrained or tokenizer.train(data.tokenizer, training())
    made.save_pretrained(folder / "tokenizer")
    dtype = "uint16" if len(made) <= 2**16 else "uint32"
    train_tokens = _write(made, training(), dtype, folder / "train.bin")
    held_tokens = _write(made, iter(held), dtype, folder / "heldout.bin")
    index = {"vocab": len(made), "end_of_text": made.eos_token_id, "dtype": dtype, "heldout": held_tokens > 0}
    (folder / "index.json").write_text(json.dumps(index, sort_keys=True), encoding="utf-8")
    seconds = time.monotonic() - began
    log.info("tokenized %d training and %d held-out tokens in %.1f s", train_tokens, held_tokens, seconds)


def _write(made: PreTrainedTokenizerFast, texts: Iterator[str], dtype: str, path: Path) -> int:
    count = 0
    with path.open("wb") as stream:
        while group := list(islice(texts, DOCUMENTS_AT_ONCE)):
            for encoding in made.backend_tokenizer.encode_batch(group, add_special_tokens=False):
                tokens = numpy.array([*encoding.ids, made.eos_token_id], dtype=dtype)
                tokens.tofile(stream)
                count += len(tokens)
        stream.flush()
        os.fsync(stream.fileno())
    return count
