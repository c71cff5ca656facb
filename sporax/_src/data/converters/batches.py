"""The common part of the converters: writing rows in batches, and the checks of arguments."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.data.mindrecord.writer import FileWriter

HEADER_SIZE, PAGE_SIZE = 1 << 24, 1 << 26
_AT_ONCE = 256


def write_rows(writer: FileWriter, rows: Iterable[dict[str, Any]], parallel_writer: bool = False) -> None:
    """Write rows in batches of 256, and finish the files."""
    left = iter(rows)
    while batch := list(islice(left, _AT_ONCE)):
        writer.write_raw_data(batch, parallel_writer)
    writer.commit()


def check_partitions(where: str, number: object) -> int:
    """Return a number of files.

    Raises:
        ValueError: If it is not an int.
    """
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"{where}: partition_number must be an int, got {describe(number)}.")
    return number
