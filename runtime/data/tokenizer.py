"""Makes or loads the tokenizer, always as a fast transformers tokenizer with an end-of-text token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from ..errors import StageError
from ..planfile import RunTokenizer

END_OF_TEXT = "<|endoftext|>"
# Every byte has a token of its own, so that any text can be written.
SMALLEST_VOCAB = 257


def train(settings: RunTokenizer, documents: Iterator[str], markers: Sequence[str] = ()) -> PreTrainedTokenizerFast:
    """A byte-level BPE of at most `vocab` entries, of which `markers` are some; a small corpus may not fill them."""
    smallest = SMALLEST_VOCAB + len(markers)
    if settings.vocab < smallest:
        raise StageError(f"a byte-level vocabulary of {settings.vocab} is too small: it needs {smallest} entries or more")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=settings.vocab,
        special_tokens=[END_OF_TEXT, *(marker for marker in markers if marker != END_OF_TEXT)],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(documents, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END_OF_TEXT, bos_token=END_OF_TEXT, clean_up_tokenization_spaces=False
    )


def place(settings: RunTokenizer, root: Path, exported: Callable[[str], Path]) -> str | Path:
    """Where the tokenizer lies: below the data root, in a repository, or beside what a stage has `exported`."""
    match settings.kind:
        case "stage":
            return exported(settings.path or "")
        case "pretrained":
            local = root / (settings.path or "")
            return local if local.is_dir() else settings.path or ""
        case other:
            raise StageError(f"the plan's tokenizer is `{other}`, this runtime knows bpe, pretrained and stage")


def load(place: str | Path) -> PreTrainedTokenizerFast:
    """The tokenizer in a folder or repository."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(place)
    except (OSError, ValueError) as fault:
        raise StageError(f"cannot load the tokenizer `{place}`: {str(fault).strip().splitlines()[0]}") from fault
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise StageError(f"the tokenizer `{place}` has no fast form: convert it to a tokenizer.json first")
    if tokenizer.eos_token_id is None:
        raise StageError(f"the tokenizer `{place}` has no end-of-text token, which documents are joined with")
    return tokenizer
