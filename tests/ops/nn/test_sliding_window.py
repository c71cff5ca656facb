"""Windows along axes: how many there are, and their maxima, sums and sizes."""

import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.ops.nn.sliding_window import box, lowest, taps, window_argmax, window_counts, window_max, window_sum

X = jnp.asarray([[3, 1, 4, 1, 5, 9, 2]], jnp.float32)


@pytest.mark.parametrize(
    ("options", "count", "reach"),
    [
        ((7, 3, 2, 1, (0, 0)), 3, 7),
        ((7, 3, 2, 1, (1, 1)), 4, 9),
        ((6, 2, 4, 1, (0, 0)), 2, 6),
        ((7, 3, 1, 3, (0, 0)), 1, 7),
    ],
)
def test_windows(options, count: int, reach: int) -> None:
    found = box(*options)
    assert (found.count, found.reach) == (count, reach)


def test_a_last_window_may_reach_over_the_end() -> None:
    assert box(6, 3, 2, 1, (0, 0)).count == 2 and box(6, 3, 2, 1, (0, 0), ceil_mode=True).count == 3
    assert box(5, 1, 2, 1, (0, 0), ceil_mode=True).count == 3
    with pytest.raises(
        ValueError, match=r"a window of 5 elements does not fit an axis of 3 elements padded by \(0, 1\)"
    ):
        box(3, 5, 1, 1, (0, 1))


@pytest.mark.parametrize("options", [(3, 2, 1, (0, 0)), (2, 2, 1, (0, 1)), (2, 1, 3, (1, 1)), (3, 2, 1, (1, 0))])
def test_maxima_and_sums(options) -> None:
    kernel, stride, dilation, pads = options
    b = box(7, *options)
    padded = np.pad(np.asarray(X[0]), pads, constant_values=np.nan)
    parts = [padded[i * stride : i * stride + (kernel - 1) * dilation + 1 : dilation] for i in range(b.count)]
    np.testing.assert_array_equal(window_max(X, [b])[0], [np.nanmax(p) for p in parts])
    np.testing.assert_array_equal(window_sum(X, [b])[0], [np.nansum(p) for p in parts])
    best, place = window_argmax(X, [b])
    np.testing.assert_array_equal(np.asarray(X[0])[np.asarray(place[0])], best[0])
    assert window_counts([7], [b], False).tolist() == [int((~np.isnan(p)).sum()) for p in parts]
    assert window_counts([7], [b], True).tolist() == [kernel] * b.count
    assert taps(X, 1, b, 0)[0][0].tolist() == [np.nan_to_num(p)[0] for p in parts]


def test_the_first_of_equal_elements_is_taken() -> None:
    assert window_argmax(jnp.asarray([[2, 2, 2]]), [box(3, 3, 1, 1, (0, 0))])[1].tolist() == [[0]]
    assert lowest(np.dtype(np.float16)) == -np.inf and lowest(np.dtype(np.int8)) == -128
