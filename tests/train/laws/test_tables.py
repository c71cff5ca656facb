"""Every row of the table of metrics is run by the file that mirrors its module."""

import metric_tables
from by_module import without_a_file


def test_every_row_is_run() -> None:
    assert without_a_file(metric_tables.TABLES, "metrics_of") == set()
