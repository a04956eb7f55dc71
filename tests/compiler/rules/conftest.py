"""What tests of the rules share: the findings of a spec, and whether what a finding's help suggests mends it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from trainc.compiler.driver import analyse
from trainc.dsl.diagnostics import Diagnostic

CASES = Path(__file__).parents[2] / "cases" / "rules"

# "`tp = 2`, `4` or `8`", "`micro = 2` and `recompute = full`": fields to set together, and other values of the last one.
SUGGESTION = re.compile(r"((?:(?: and | with )?`\w+ = [^`]+`)+)((?:(?:, | or )`[^`=]+`)*)")

Change = dict[str, str]


# Much of the language is legal that this version does not run yet, and a corrected example may leave a record unused.
BESIDE = {"TRN801", "TRN909"}


def findings_of(path: Path, text: str | None = None) -> tuple[Diagnostic, ...]:
    return tuple(finding for finding in analyse(path, {}, text).findings if finding.code not in BESIDE or finding.code in path.name)


def suggestions_of(help: str) -> Iterator[Change]:
    for together, others in SUGGESTION.findall(help):
        fields = re.findall(r"`(\w+) = ([^`]+)`", together)
        yield dict(fields)
        for other in re.findall(r"`([^`]+)`", others):
            yield {fields[-1][0]: other}


@pytest.fixture
def findings() -> Callable[..., tuple[Diagnostic, ...]]:
    return findings_of


@pytest.fixture
def suggestions() -> Callable[[str], Iterator[Change]]:
    return suggestions_of
