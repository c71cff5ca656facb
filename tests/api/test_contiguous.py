"""Tensors that lie one behind the other, under one handle."""

import numpy as np
import pytest

from sporax import Tensor
from sporax.hal.contiguous_tensors_handle import ContiguousTensorsHandle, combine_tensor_list_contiguous


def test_contiguous_tensors() -> None:
    x, y = np.arange(3, dtype=np.float32), np.arange(10, 14, dtype=np.float32).reshape(2, 2)
    flat = np.concatenate([x, y.ravel()])
    a, b = Tensor(x), Tensor(y)
    handle = combine_tensor_list_contiguous((a, b), False)
    assert isinstance(handle, ContiguousTensorsHandle) and handle[3].shape == (1,)
    for index in (slice(None), slice(1, 5), slice(2, None), slice(None, 4, 2)):
        np.testing.assert_array_equal(handle[index].asnumpy(), flat[index])
    np.testing.assert_array_equal(handle.slice_by_tensor_index().asnumpy(), flat)
    np.testing.assert_array_equal(handle.slice_by_tensor_index(1).asnumpy(), y.ravel())
    np.testing.assert_array_equal(handle.slice_by_tensor_index(None, 1).asnumpy(), x)
    a[1] = 7.0
    assert handle[1].item() == 7.0
    assert str(handle).splitlines()[:2] == ["Handle of 7 elements", "Tensor[0]: [0. 7. 2.]"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda h: ContiguousTensorsHandle([1]), TypeError, r"input list must be \[Tensor, ...\]."),
        (lambda h: ContiguousTensorsHandle(Tensor([1])), TypeError, "input list must be"),
        (lambda h: ContiguousTensorsHandle([]), TypeError, "input list must be"),
        (lambda h: ContiguousTensorsHandle([Tensor([1])], 1), TypeError, "enable_mem_align must be bool."),
        (
            lambda h: h["a"],
            TypeError,
            r"slice input must be 1.index -> int.2.\[start: end: step\] -> \[int: int: int\].",
        ),
        (lambda h: h[1.0:], TypeError, "slice input error."),
        (lambda h: h[4:2], ValueError, "slice input error."),
        (lambda h: h[:100], ValueError, "slice input error."),
        (lambda h: h[-1], ValueError, "slice input is out of tensor_list size."),
        (lambda h: h[3], ValueError, "slice input is out of tensor_list size."),
        (lambda h: h.slice_by_tensor_index(1, 1), ValueError, "slice input error."),
        (lambda h: h.slice_by_tensor_index(0, 3), ValueError, "slice input error."),
    ],
)
def test_contiguous_errors(call, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        call(ContiguousTensorsHandle([Tensor([1, 2]), Tensor([3])]))
