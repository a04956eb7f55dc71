"""Writes what the grammars share with the compiler: the TextMate grammar, tree-sitter's units and its highlighting words.

A test holds the committed files to what this makes.
"""

from __future__ import annotations

import json
from pathlib import Path

import textmate
import tree_sitter_words

EDITORS = Path(__file__).parent


def files() -> dict[str, str]:
    """Every generated file by its path below `editors/`."""
    return {
        "vscode/syntaxes/train.tmLanguage.json": json.dumps(textmate.grammar(), indent=2) + "\n",
        "tree-sitter-train/src/units.h": tree_sitter_words.units(),
        "tree-sitter-train/queries/highlights.scm": tree_sitter_words.highlights(),
    }


if __name__ == "__main__":
    for name, text in files().items():
        path = EDITORS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
