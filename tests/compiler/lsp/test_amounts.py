from __future__ import annotations

import pytest

pytest.importorskip("pygls")

from trainc.compiler.lsp.amounts import spellings
from trainc.compiler.units import Dimension, Quantity, read_number


@pytest.mark.parametrize(
    ("digits", "unit", "forms"),
    [
        ("80", "GB", ["80 GB", "74.5 GiB"]),
        ("141", "GiB", ["141 GiB", "151.4 GB"]),
        ("400", "Gb/s", ["400 Gb/s", "50 GB/s"]),
        ("2", "h30min", ["150min", "9000 s", "2.5 h"]),
        ("3", "%", ["3%", "0.03"]),
        ("8", "B", ["8000000000", "8,000,000,000"]),
        ("15", "T tokens", ["15000000000000 tokens", "15,000,000,000,000 tokens"]),
        ("12", None, ["12"]),
    ],
)
def test_an_amount_in_the_units_in_which_people_know_it(digits: str, unit: str | None, forms: list[str]) -> None:
    quantity = read_number(digits, unit)
    assert quantity is not None
    assert spellings(quantity) == forms


def test_less_than_a_unit_needs_no_other() -> None:
    assert spellings(Quantity(12, Dimension.BYTES)) == ["12 B"]
