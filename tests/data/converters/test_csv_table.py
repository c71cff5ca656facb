"""Tables as records: the rows of the tables, gaps."""

from pathlib import Path

import pytest
from data_tables import converters_of

from sporax import mindrecord
from sporax.mindrecord import FileReader

TestConverters = converters_of("sporax._src.data.converters.csv_table")


def test_rows_of_a_table_without_a_text_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,x\n2,\n3,z\n")
    with pytest.warns(UserWarning, match="record 1 is left out: field 'b' must be string, got None"):
        mindrecord.CsvToMR(str(path), str(tmp_path / "a")).transform()
    assert [row["a"] for row in FileReader(str(tmp_path / "a")).get_next()] == [1, 3]
