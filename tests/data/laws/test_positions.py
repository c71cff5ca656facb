"""Random pipelines: the same rows with every kind and number of workers, and after a position is restored."""

from random import Random

import pytest
from data_positions import check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
@given(st.integers(0, 1 << 32))
@pytest.mark.slow
def test_rows_and_positions(number: int) -> None:
    assert check(Random(number), engines=2)["resumed"] == 2
