"""What the calls of operations on text name."""

from typing import Any

import pytest
from data_tables.text import GOLDENS, NAMES


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the calls name: with `F`, the path of a file that was recorded with them."""
    folder = tmp_path_factory.mktemp("vectors")
    for name, lines in GOLDENS["files"].items():
        (folder / name).write_text(lines)
    return NAMES | {"F": lambda name: str(folder / name)}
