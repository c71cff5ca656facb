"""Which of `size` rows fail, in datasets that are recorded from MindSpore and in the tests."""

from collections.abc import Callable

FAILURES: dict[str, Callable[[int, int], bool]] = {
    "none": lambda row, size: False,
    "all": lambda row, size: True,
    "first": lambda row, size: row == 0,
    "first ten": lambda row, size: row < 10,
    "all but the last": lambda row, size: row < size - 1,
    "all but the first": lambda row, size: row > 0,
    "last half": lambda row, size: row > size // 2 + 2,
    "odd": lambda row, size: row % 2 == 1,
    "two of three": lambda row, size: row % 3 != 0,
    "runs": lambda row, size: row // 7 % 3 == 1,
}
