"""What `mindspore.scipy.utils` does with matrices."""

import pytest

from sporax import Tensor
from sporax._src.compat.shims.scipy.utils import _nd_transpose


def test_matrices_are_transposed() -> None:
    assert _nd_transpose(Tensor([[[1, 2], [3, 4]]])).tolist() == [[[1, 3], [2, 4]]]
    with pytest.raises(ValueError, match="_nd_transpose: the input must have 2 axes or more, got 1"):
        _nd_transpose(Tensor([1.0]))
