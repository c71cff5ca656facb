"""Layouts: names for the axes of devices."""

import pytest

from sporax.parallel import Layout

LAYOUT = Layout((2, 4), ("dp", "mp"))


def test_axes_are_counted_from_the_last() -> None:
    found = LAYOUT("dp", ("mp",), "None").to_dict()
    assert found == {"device_matrix": (2, 4), "tensor_map": (1, (0,), -1), "interleaved_parallel": False,
                     "alias_name": ("dp", "mp"), "rank_list": list(range(8))}  # fmt: skip


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: Layout([2], ("dp",)), TypeError, r"device_matrix must be a tuple of int, got \[2\]"),
        (lambda: Layout((2,), (1,)), TypeError, r"alias_name must be a tuple of str, got \(1,\)"),
        (lambda: Layout((2, 2), ("dp",)), ValueError, "must have one length"),
        (lambda: Layout((2, 2), ("dp", "dp")), ValueError, "names must differ"),
        (lambda: Layout((0,), ("dp",)), ValueError, r"numbers of devices must be > 0, got \(0,\)"),
        (lambda: Layout((2,), ("dp",), [1, 1]), ValueError, "rank_list must be a list of 2 different numbers"),
        (lambda: LAYOUT("tp"), ValueError, "the axis 'tp' is not among"),
        (lambda: LAYOUT("dp", ("mp", "dp")), ValueError, "the axis 'dp' cuts more than one axis"),
        (lambda: LAYOUT.to_dict(), ValueError, "call the layout with the names of axes first"),
    ],
)
def test_what_is_refused(call, kind: type, said: str) -> None:
    with pytest.raises(kind, match=said):
        call()
