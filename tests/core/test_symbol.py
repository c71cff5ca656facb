"""Sizes that are not known yet."""

import pytest

from sporax._src.core.symbol import UNKNOWN, Symbol, is_unknown, leaving_sizes_open


def test_what_is_known_of_a_size_is_shown() -> None:
    assert repr(Symbol(max=8, divisor=2)) == "Symbol(max=8, min=1, divisor=2, remainder=0, unique=False)"


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"max": 1.0}, TypeError, r"max must be an int, got 1\.0"),
        ({"min": True}, TypeError, "min must be an int, got True"),
        ({"unique": 1}, TypeError, "unique must be a bool, got 1"),
        ({"min": 0}, ValueError, "min and divisor must be > 0, got 0 and 1"),
        ({"divisor": 2, "remainder": 2}, ValueError, r"remainder must be in \[0, 2\), got 2"),
        ({"max": 3, "min": 3}, ValueError, "max must be greater than min, 3, got 3"),
    ],
)
def test_numbers_that_are_none(options: dict, kind: type, said: str) -> None:
    with pytest.raises(kind, match=f"Symbol: {said}"):
        Symbol(**options)


def test_sizes_are_unknown_only_where_some_are_open() -> None:
    assert not is_unknown(UNKNOWN)
    with leaving_sizes_open(True):
        assert is_unknown(UNKNOWN) and is_unknown(UNKNOWN // 64) and not is_unknown(8) and not is_unknown(0)
        with leaving_sizes_open(False):
            assert not is_unknown(UNKNOWN)
    assert not is_unknown(UNKNOWN)


def test_other_options_are_accepted() -> None:
    assert Symbol(max=8, kind="batch").max == 8
