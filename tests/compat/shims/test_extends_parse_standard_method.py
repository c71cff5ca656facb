"""The methods of Tensors as functions."""

import numpy as np
import pytest

from sporax import Tensor
from sporax._extends.parse import standard_method

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_methods_as_functions() -> None:
    """Each method of a Tensor is a function of it; other names are no part of the module."""
    assert standard_method.view(X, (3, 2)).shape == (3, 2)
    assert standard_method.swapaxes(X, 0, 1).asnumpy().tolist() == X.asnumpy().T.tolist()
    assert standard_method.var(X).item() == pytest.approx(X.asnumpy().var())
    assert [t.asnumpy().tolist() for t in standard_method.topk(Tensor([4.0, 9.0, 2.0]), 2)] == [[9.0, 4.0], [1, 0]]
    with pytest.raises(AttributeError, match="standard_method' has no attribute 'nothing'"):
        _ = standard_method.nothing


def test_truth_of_one_element() -> None:
    """A Tensor of one element is cast to bool; a larger one has no truth."""
    assert standard_method.tensor_bool(Tensor([4.0])).asnumpy().tolist() == [True]
    assert standard_method.tensor_bool(Tensor(0)).item() is False
    with pytest.raises(ValueError, match=r"Only tensor which shape is \(\) or \(1,\) can be converted to bool"):
        standard_method.tensor_bool(X)
