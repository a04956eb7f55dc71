"""Of misspelt fields, members, variants and names, nearly all get what was meant suggested."""

from __future__ import annotations

import random
from pathlib import Path

from trainc.compiler.driver import analyse
from trainc.dsl.lexer import lex
from trainc.dsl.source import Source

SPECS = [Path("examples/quickstart/quickstart.train"), Path("tests/cases/rules/base.train")]
SLIPS = 50


def misspelt(word: str, chance: random.Random) -> str:
    """The word with one letter dropped, doubled, swapped with the next, or replaced by another."""
    place = chance.randrange(len(word) - 1)
    match chance.randrange(4):
        case 0:
            return word[:place] + word[place + 1 :]
        case 1:
            return word[:place] + word[place] * 2 + word[place + 1 :]
        case 2:
            return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + chance.choice("aeirstnlox") + word[place + 1 :]


def words(text: str) -> list[tuple[int, int]]:
    """The words of a spec's blocks that the schema or the spec itself defines, but for those that declare something."""
    tokens = lex(Source("t", text)).tokens
    kinds = {"IMPORT", "PARAM", "LET", "AS"}
    found = []
    for (before, start, _), (kind, begin, end), (after, *_) in zip(tokens, tokens[1:], tokens[2:], strict=False):
        declares = before == "NAME" and "\n" not in text[start:begin]
        if kind == "NAME" and end - begin > 3 and before not in kinds and not declares and after != "DOT":
            found.append((begin, end))
    return found


def test_most_misspelt_words_get_the_original_suggested() -> None:
    chance = random.Random(11)
    missed, tried = [], 0
    while tried < SLIPS:
        path = chance.choice(SPECS)
        text = path.read_text(encoding="utf-8")
        begin, end = chance.choice(words(text))
        word = text[begin:end]
        wrong = misspelt(word, chance)
        if wrong == word:
            continue
        findings = analyse(path, {}, text[:begin] + wrong + text[end:]).findings
        if not findings:
            continue
        tried += 1
        if not any(f"`{word}`" in (finding.help or "") for finding in findings):
            missed.append((word, wrong, [finding.message for finding in findings]))
    assert len(missed) <= SLIPS - 45, missed
