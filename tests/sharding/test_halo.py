"""How far kernels reach beyond a device's piece of an image."""

import pytest

from sporax._src.sharding.halo import Reach


@pytest.mark.parametrize(
    ("reach", "pieces", "fits"),
    [
        (Reach(8, 8, 3, 1, 1, 1), 2, True),  # one element of each neighbour
        (Reach(8, 8, 3, 1, 1, 1), 8, True),
        (Reach(8, 8, 5, 1, 1, 2), 8, False),  # two neighbours on each side
        (Reach(8, 4, 2, 2, 1, 0), 4, True),  # windows that do not overlap
        (Reach(8, 4, 2, 2, 1, 0), 8, False),
        (Reach(8, 4, 2, 2, 1, 1), 2, False),  # zeros before the first
    ],
)
def test_pieces(reach: Reach, pieces: int, fits: bool) -> None:
    assert reach.fits(pieces) is fits
