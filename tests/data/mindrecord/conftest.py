"""A file of records, which a test may damage."""

from pathlib import Path

import pytest
from damaged_records import fifty_records


@pytest.fixture
def path(tmp_path: Path) -> str:
    return fifty_records(tmp_path / "a.mindrecord")
