"""Defaults of operands."""

from sporax._src.base.typing import number


def test_a_default_is_the_number_itself() -> None:
    assert number(1.5) == 1.5 and type(number(1)) is int
