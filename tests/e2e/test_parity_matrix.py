"""However a training is spread, it is the training of one process: the rows of the parity matrix that touch every trait."""

from __future__ import annotations

from pathlib import Path

import pytest
from parity_matrix import ROWS, chosen
from parity_rows import STEPS, Measured, Row, measure


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parity")


@pytest.fixture(scope="module")
def references(root: Path) -> dict[str, Measured]:
    rows = {row.reference.name: row.reference for row in chosen()}
    return {name: measure(row, root) for name, row in rows.items()}


@pytest.mark.slow
@pytest.mark.parametrize("row", chosen(), ids=lambda row: row.name)
def test_a_way_to_spread_equals_one_process(row: Row, root: Path, references: dict[str, Measured]) -> None:
    expected, found = references[row.reference.name], measure(row, root)
    assert len(found.losses) == STEPS
    assert found.losses == pytest.approx(expected.losses, abs=row.tolerance)
    assert found.heldout == pytest.approx(expected.heldout, abs=row.tolerance)
    # Another dtype leaves its mark: losses that are too close were not computed in it.
    assert row.compute == "fp32" or found.losses != pytest.approx(expected.losses, abs=1e-5)
    assert found.norms == pytest.approx(expected.norms, abs=row.norm_tolerance)


def test_the_rows_of_ci_touch_every_trait() -> None:
    touched = frozenset().union(*(row.traits for row in chosen()))
    assert touched == frozenset().union(*(row.traits for row in ROWS))
    assert len(ROWS) == len({row.name for row in ROWS})


def test_rows_that_differ_in_their_model_have_references_of_their_own() -> None:
    references = [row.reference for row in ROWS]
    assert len({reference.spec() for reference in references}) == len({reference.name for reference in references})
