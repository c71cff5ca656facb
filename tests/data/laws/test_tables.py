"""Every row of the tables is run by the file that mirrors its module."""

import pytest
from data_tables import TABLES, modules_without_a_file, pipelines_of

# A new transformation is tested before a file mirrors its module.
if others := modules_without_a_file("pipelines_of"):
    TestOthers = pipelines_of(*others)


@pytest.mark.parametrize("selection", sorted(set(TABLES) - {"pipelines_of"}))
def test_every_row_is_run(selection: str) -> None:
    assert modules_without_a_file(selection) == set()
