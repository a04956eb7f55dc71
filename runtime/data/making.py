"""Makes token files from documents, once, under a name that says what went into them; rank 0's part."""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import tokenizers
from transformers import PreTrainedTokenizerFast

from ..errors import StageError
from ..planfile import RunData
from . import tokenizer
from .encoding import encoded
from .formats import Template, said
from .reader import Reader
from .split import digest, held_out
from .templates import markers, template_of, turn_end
from .writing import Writer

# Part of every cache key: raise it when the same documents would make other files.
FORMAT = 2

log = logging.getLogger("trainc.data")


def make(reader: Reader, pretrained: PreTrainedTokenizerFast | None, cache: Path) -> str:
    """The corpus's key. Reads every row once for its digest, and tokenizes only what the cache does not hold.

    Without a `pretrained` tokenizer one is trained on the documents.
    """
    data, template = reader.data, template_of(reader.data, pretrained, reader.template)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    digests = [digest(said(content)) for _, content in reader.contents(data.train)]
    other = [digest(said(content)) for _, content in reader.contents(data.evaluation)] if data.evaluation else []
    apart = frozenset() if data.evaluation else held_out(digests, data.holdout)
    key = key_of(data, template, [digests, other], pretrained)
    if (cache / key / "index.json").exists():
        log.info("tokens found in the cache: %s", key)
        return key
    partial = cache / f".{key}.{os.getpid()}.partial"
    try:
        partial.mkdir(parents=True)
        _tokenize(reader, template, pretrained, apart, partial)
        _move(partial, cache / key)
    except OSError as fault:
        raise StageError(f"cannot write the token cache {cache}: {fault.strerror}") from fault
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


def key_of(data: RunData, template: Template, digests: list[list[bytes]], pretrained: PreTrainedTokenizerFast | None) -> str:
    """What names a corpus: everything that decides its files; `digests` are those of the training and of other documents."""
    total = sha256()
    made = pretrained.backend_tokenizer.to_str() if pretrained else f"{data.tokenizer.vocab} {tokenizers.__version__}"
    # Text is cut into samples when it is read: their length decides no file of it.
    whole = [data.sequence, data.overlong, data.completions_only] if data.format != "text" else []
    counts = [len(each) for each in digests]
    header = [FORMAT, data.tokenizer.kind, made, data.holdout, counts, data.format, data.broken, template.source, whole]
    total.update(json.dumps(header).encode())
    for each in chain(*digests):
        total.update(each)
    return total.hexdigest()[:32]


def _tokenize(
    reader: Reader, template: Template, pretrained: PreTrainedTokenizerFast | None, apart: frozenset[bytes], folder: Path
) -> None:
    began, data = time.monotonic(), reader.data

    def training() -> Iterator[tuple[str, Any]]:
        return (row for row in reader.contents(data.train) if digest(said(row[1])) not in apart)

    # Held-out documents stand in the order of their digests: the first batches are a fair draw from all of them.
    evaluation = data.evaluation or data.train
    held = [row for row in reader.contents(evaluation) if data.evaluation or digest(said(row[1])) in apart]
    held.sort(key=lambda row: digest(said(row[1])))

    texts = (document.text for _, document in reader.documents(training(), template))
    made = pretrained or tokenizer.train(data.tokenizer, texts, markers(template.source))
    if template.source:
        made.chat_template = template.source
    made.save_pretrained(folder / "tokenizer")
    dtype = "uint16" if len(made) <= 2**16 else "uint32"
    counts = {}
    for name, contents in (("train", training()), ("heldout", iter(held))):
        writer = Writer(folder / name, dtype, reader)
        writer.write(encoded(made, reader.documents(contents, template)))
        counts[name] = dict(writer.counts)
    index = {
        "vocab": len(made),
        "end_of_text": made.eos_token_id,
        "turn_end": turn_end(template, made),
        "dtype": dtype,
        "left_out": len(reader.broken.places),
        **counts,
    }
    (folder / "index.json").write_text(json.dumps(index, sort_keys=True), encoding="utf-8")
    seconds = time.monotonic() - began
    log.info(
        "tokenized %s training and %s held-out tokens in %.1f s", counts["train"]["tokens"], counts["heldout"]["tokens"], seconds
    )
