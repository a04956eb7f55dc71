"""What TRN604 says where a file is missing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from trainc.dsl.diagnostics import Diagnostic

SPEC = Path(__file__).parents[2] / "cases" / "rules" / "TRN604_help.train"


@pytest.mark.parametrize(
    ("path", "help"),
    [
        ("corpos/one.txt", 'did you mean "corpus/one.txt"?'),
        ("corpus/onne.txt", 'did you mean "corpus/one.txt"?'),
        ("corpus", 'for the files in it, write "corpus/*"'),
        ("corpus/*.md", "a path is relative to the file it is written in"),
        ("elsewhere/entirely.txt", "a path is relative to the file it is written in"),
        ("corpus/one.txt/page", "a path is relative to the file it is written in"),
        ("x" * 5000, "a path is relative to the file it is written in"),
        ("[", "a path is relative to the file it is written in"),
        ("a\\u{0}b", "a path is relative to the file it is written in"),
        ("../corpus/one.txt", "move or link it below the folder"),
        ("corpus/../../one.txt", "move or link it below the folder"),
    ],
)
def test_the_way_out_fits_what_is_there(path: str, help: str, findings: Callable[..., tuple[Diagnostic, ...]]) -> None:
    data = f'base.corpus {{ train = text {{ path = "{path}" }} }}'
    found = findings(SPEC, f'import "./base.train"\nstage only = base.pretrain {{ data = {data} }}\n')
    assert [(finding.code, finding.help) for finding in found] == [("TRN604", help)]
