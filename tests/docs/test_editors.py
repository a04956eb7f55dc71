"""The set-ups that docs/editors.md shows start the server that exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PAGE = Path("docs/editors.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)
    assert found is not None, f"no {language} block"
    return found[1]


def test_helix_is_given_a_server_and_a_language_that_uses_it() -> None:
    settings = tomllib.loads(block("toml"))
    (language,) = settings["language"]
    (name,) = language["language-servers"]
    server = settings["language-server"][name]
    assert [server["command"], *server["args"]] == ["trainc", "lsp"]
    assert language["file-types"] == ["train"]


def test_brackets_balance_in_the_other_set_ups() -> None:
    for language, pairs in (("lua", ("()", "{}")), ("elisp", ("()",))):
        text = block(language)
        for opening, closing in pairs:
            assert text.count(opening) == text.count(closing) > 0
        assert re.search(r'"trainc",? "lsp"', text)
