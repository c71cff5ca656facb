"""What the converters share."""

import pytest

from sporax._src.data.converters.batches import check_partitions, write_rows


class Writer:
    """Notes what it is called with."""

    def __init__(self) -> None:
        self.batches: list[tuple[int, bool]] = []
        self.finished = 0

    def write_raw_data(self, rows: list[dict[str, int]], parallel: bool) -> None:
        self.batches.append((len(rows), parallel))

    def commit(self) -> None:
        self.finished += 1


@pytest.mark.parametrize("rows, batches", [(0, []), (256, [256]), (600, [256, 256, 88])])
def test_rows_are_written_in_batches(rows: int, batches: list[int]) -> None:
    writer = Writer()
    write_rows(writer, ({"a": i} for i in range(rows)), True)
    assert writer.batches == [(size, True) for size in batches]
    assert writer.finished == 1


def test_a_number_of_files_is_an_int() -> None:
    assert check_partitions("Cifar10ToMR", 4) == 4
    for value, shown in ((True, "True"), (2.0, "2.0"), ("2", "'2'")):
        with pytest.raises(ValueError, match=rf"^Cifar10ToMR: partition_number must be an int, got {shown}\.$"):
            check_partitions("Cifar10ToMR", value)
