"""Every row of the op table obeys the laws."""

import pytest

import sporax  # noqa: F401  (fills the table)
from sporax._src.ops.table import TABLE
from sporax._src.testing.laws import check_op

ROWS = {row.name: row for row in TABLE.values()}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_row(name: str) -> None:
    """Value, both modes, gradient, errors."""
    check_op(ROWS[name])
