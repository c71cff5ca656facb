"""What functions of `mindspore.numpy` ask of axes and shapes."""

import pytest

from sporax._src.compat.shims.numpy.utils_const import _canonicalize_axis, _infer_out_shape


def test_shapes_and_axes() -> None:
    """Shapes broadcast, and axes count from the front in ascending order, as in NumPy."""
    assert _infer_out_shape((5,), (6, 1), (7, 1, 5), (8, 1, 6, 1)) == (8, 7, 6, 5)
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(\(3,\), \(2,\)\)"):
        _infer_out_shape((3,), (2,))
    assert [_canonicalize_axis(a, 3) for a in (-1, [1], (2, 0), (-1, 0, 1))] == [2, 1, (0, 2), (0, 1, 2)]
    with pytest.raises(ValueError, match="axis 3 is out of bounds for array of dimension 3"):
        _canonicalize_axis(3, 3)
    with pytest.raises(TypeError, match="axes should be integers, not <class 'float'>"):
        _canonicalize_axis((1.5,), 3)
    with pytest.raises(ValueError, match="duplicate axes"):
        _canonicalize_axis((0, -3), 3)
