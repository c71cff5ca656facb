"""Every row of the tables of distributions is run by a file that mirrors a module."""

import probability_tables
from by_module import without_a_file


def test_every_row_is_run() -> None:
    assert without_a_file(probability_tables.TABLES, "distributions_of") == set()
