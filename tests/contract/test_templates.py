"""The compiler and the runtime find the same special tokens in a chat template."""

from __future__ import annotations

from trainc.compiler.rules import trn636_template_of_another_tokenizer as rule
from trainc.runtime.data import templates


def test_special_tokens_are_found_alike() -> None:
    assert rule.MARKER == templates.MARKER
