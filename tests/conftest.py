from __future__ import annotations

import os

import pytest
from hypothesis import settings

# Time is measured in benchmarks, not here. Continuous integration tries the same examples each time,
# a run by hand tries new ones.
settings.register_profile("trainc", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("trainc")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write what is produced as what is expected")
