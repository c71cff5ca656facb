"""How Parameters are cut, in the numbers of MindSpore's files."""

import pytest

from sporax._src.sharding.parameter_layout import Cut


@pytest.mark.parametrize(
    ("cut", "devices", "shared"),
    [
        (Cut((2, 4), ((1,), (0,))), 8, 1),
        (Cut((2, 4), ((0,), ())), 8, 1),
        (Cut((2, 4), ((0,), ()), step=4, parts=-1), 8, 2),
        (Cut((2, 4), ((0,), ()), step=4, parts=2), 8, 2),
        (Cut((8,), ((),), step=1, parts=-1), 8, 8),
        (Cut((8,), (), step=1, parts=-1), 8, 1),
    ],
)
def test_devices_and_shares(cut: Cut, devices: int, shared: int) -> None:
    assert (cut.devices, cut.shared) == (devices, shared)


def test_devices_that_have_the_same_piece_have_one_index() -> None:
    cut = Cut((2, 4), ((0,), ()))
    assert len({str(cut.index(device)) for device in range(8)}) == 4
    assert cut.index(0) == cut.index(4) != cut.index(1)
