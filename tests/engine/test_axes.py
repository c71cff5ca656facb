"""Axes, sizes and counts among arguments."""

import numpy as np
import pytest

from sporax._src.engine import axes


def test_axes_count_from_both_ends() -> None:
    assert axes.one(-1, 3) == 2 and axes.one(np.int64(1), 3) == 1
    assert axes.several(None, 3) == (0, 1, 2) and axes.several((-1, 0), 3) == (2, 0) and axes.several(1, 3) == (1,)


def test_sizes_are_ints() -> None:
    assert axes.sizes(3) == (3,) and axes.sizes([2, np.int32(4)]) == (2, 4) and axes.fixed_sizes((0, 1)) == (0, 1)
    assert axes.count(0, "n") == 0 and axes.whole(-2, "n") == -2


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: axes.whole(True, "n"), TypeError, "n must be an int, got bool: True"),
        (lambda: axes.whole(1.5, "n"), TypeError, r"n must be an int, got float: 1\.5"),
        (lambda: axes.count(-1, "n"), ValueError, "n must not be negative, got -1"),
        (lambda: axes.one(3, 3), ValueError, r"axis must be in \[-3, 3\), got 3"),
        (lambda: axes.several((0, -3), 3), ValueError, r"axis must not name an axis twice, got \(0, -3\)"),
        (lambda: axes.sizes((2, 1.0)), TypeError, "shape must be an int or a tuple of ints, got float"),
        (lambda: axes.fixed_sizes((2, -1)), ValueError, r"shape must not have negative sizes, got \(2, -1\)"),
    ],
)
def test_what_is_refused(call, kind: type, said: str) -> None:
    with pytest.raises(kind, match=said):
        call()
