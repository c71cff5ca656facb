"""Functions that MindSpore keeps in modules of its own, and programs import from there."""

import numpy as np
import pytest

from sporax import Tensor
from sporax._src.compat.shims import gradient_shapes, standard_method
from sporax._src.compat.shims.layers import _is_equal_one
from sporax._src.compat.shims.numeric.numpy_utils import _canonicalize_axis, _infer_out_shape
from sporax._src.compat.transformer.moe import calculate_expert_capacity

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_methods_as_functions():
    """Each method of a Tensor is a function of it; other names are no part of the module."""
    assert standard_method.view(X, (3, 2)).shape == (3, 2)
    assert standard_method.swapaxes(X, 0, 1).asnumpy().tolist() == X.asnumpy().T.tolist()
    assert standard_method.var(X).item() == pytest.approx(X.asnumpy().var())
    assert [t.asnumpy().tolist() for t in standard_method.topk(Tensor([4.0, 9.0, 2.0]), 2)] == [[9.0, 4.0], [1, 0]]
    with pytest.raises(AttributeError, match="standard_method' has no attribute 'nothing'"):
        _ = standard_method.nothing


def test_truth_of_one_element():
    """A Tensor of one element is cast to bool; a larger one has no truth."""
    assert standard_method.tensor_bool(Tensor([4.0])).asnumpy().tolist() == [True]
    assert standard_method.tensor_bool(Tensor(0)).item() is False
    with pytest.raises(ValueError, match=r"Only tensor which shape is \(\) or \(1,\) can be converted to bool"):
        standard_method.tensor_bool(X)


def test_shapes_and_axes():
    """Shapes broadcast, and axes count from the front in ascending order, as in NumPy."""
    assert _infer_out_shape((5,), (6, 1), (7, 1, 5), (8, 1, 6, 1)) == (8, 7, 6, 5)
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(\(3,\), \(2,\)\)"):
        _infer_out_shape((3,), (2,))
    assert [_canonicalize_axis(a, 3) for a in (-1, [1], (2, 0), (-1, 0, 1))] == [2, 1, (0, 2), (0, 1, 2)]
    with pytest.raises(ValueError, match="axis 3 is out of bounds for array of dimension 3"):
        _canonicalize_axis(3, 3)
    with pytest.raises(ValueError, match="duplicate axes"):
        _canonicalize_axis((0, -3), 3)


def test_what_gradients_ask():
    """The values are those of MindSpore 2.7."""
    order = gradient_shapes._generate_inverse_index
    assert [order((3, 2, 3), 2), order((3, 2, 3), -3), order((3, 2, 3, 4), 3, 1)] == [
        (1, 2, 0),
        (0, 1, 2),
        (0, 2, 3, 1),
    ]
    assert gradient_shapes._fft_rank_offset((1, 2, 4, 5), 2) == 20
    assert gradient_shapes._rfft_reshape((1, 2, 3), (4, 5)) == (1, 4, 5)
    assert gradient_shapes._rfft_tile_reshape((2, 3, 4)) == (2, 1, 1)
    assert gradient_shapes._rfft_last_term_shape((1, 2, 3), (4, 5)) == (1, 1, 4, 5)


def test_small_functions():
    """The share of an expert is rounded up; a mean of 1 is told."""
    assert [calculate_expert_capacity(*a) for a in ((2, 8.0, 1.1, 4), (1, 4, 1, 4), (-1, 4, 1, 3))] == [5, 1, -1]
    assert _is_equal_one(None) is False
    assert _is_equal_one(Tensor([0.0, 2.0])).item() is True
