"""Tensors: how they are made, copied and laid in memory."""

import copy
from typing import Any

import jax
import numpy as np
import pytest
from executables import executables, ones

import sporax as ms
from sporax import Parameter, Tensor, nn


def test_tensors_from_functions() -> None:
    t = ms.tensor([1, 2], ms.float16)
    assert isinstance(t, Tensor) and t.dtype == ms.float16
    np.testing.assert_array_equal(ms.from_numpy(np.arange(3.0)).asnumpy(), [0.0, 1.0, 2.0])
    with pytest.raises(TypeError, match=r"expected a numpy\.ndarray, got list"):
        ms.from_numpy([1])


def test_an_integer_beyond_64_bits() -> None:
    """It has no dtype; MindSpore raises RuntimeError for a number, TypeError for a list with it."""
    for dtype in (None, ms.int64):
        with pytest.raises(RuntimeError, match="the integer 18446744073709551616 takes more than 64 bits"):
            ms.Tensor(2**64, dtype)
    with pytest.raises(TypeError, match="are not numbers"):
        ms.Tensor([2**64])
    assert ms.Tensor(2**63).dtype == ms.uint64


@pytest.fixture(autouse=True)
def few():
    ms.set_context(max_graphs=4)
    yield
    ms.set_context(max_graphs=64)


def test_a_tensor_of_a_new_shape_compiles_nothing():
    x = ones(401)
    before = executables()
    given = np.zeros((403, 7), np.float32)
    tensor, weight = ms.Tensor(given), ms.Parameter(ms.Tensor(given), name="w")
    given[0, 0] = 1
    assert tensor.asnumpy()[0, 0] == 0 == weight.asnumpy()[0, 0]
    ms.Tensor([[1.0] * 405]), ms.Parameter(x, name="v")
    assert executables() == before


T = Tensor([1.0, 2.0])


def test_one_tensor_of_a_structure_is_one_in_its_copy() -> None:
    first, second, named = copy.deepcopy([T, T, {"t": T}])
    assert first is second is named["t"] and first is not T  # type: ignore[index]


def test_the_method_takes_anything_as_its_memory() -> None:
    """As in MindSpore 2.7.0, which does not look at it."""
    for memory in (T, None, {}):
        assert T.__deepcopy__(memodict=memory).asnumpy().tolist() == [1.0, 2.0]


def test_a_large_array_is_copied_once() -> None:
    """The array may be written afterwards; the copy is what the CPU computes with, and a Parameter of it is trained."""
    array = np.arange(1 << 16, dtype=np.float32)
    x, strided = Tensor.from_numpy(array), Tensor.from_numpy(array.reshape(256, 256)[:, ::2])
    array[:] = -1
    assert x.asnumpy()[5] == 5 and (x + 1).asnumpy()[7] == 8
    np.testing.assert_array_equal(strided.asnumpy()[:2, :3], [[0, 2, 4], [256, 258, 260]])
    weight = Parameter(x, name="weight")
    optimizer = ms.jit(nn.SGD([weight], 1.0))
    for step in (1, 2):
        optimizer((Tensor(np.ones(1 << 16, np.float32)),))
        assert weight.asnumpy()[5] == 5 - step
    assert x.asnumpy()[5] == 5


def test_a_tensor_says_where_it_is() -> None:
    """In the words of MindSpore 2.7.0, whose sixth argument asks for it."""
    x = Tensor([1.0], ms.float32, None, None, False, "CPU")
    assert x.device == Tensor([1.0], device=None).device == Tensor([1.0], internal=True).device
    assert jax.default_backend() != "cpu" or x.device == "CPU"
    with pytest.raises(TypeError, match=r"Tensor: input_data is missing"):
        ms.Tensor()
    with pytest.raises(TypeError, match=r"Tensor: const_arg must be a bool, got 1\."):
        wrong: Any = 1
        ms.Tensor([1.0], const_arg=wrong)
    with pytest.raises(ValueError, match=r"Tensor: only 'CPU' is supported for device, got 'GPU:0'\."):
        Tensor([1.0], device="GPU:0")
