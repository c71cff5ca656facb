"""Augmented assignments of Tensors write into them; those of everything else are Python's."""

import operator

import numpy as np
import pytest

import sporax as ms
from sporax._src.migrate.helpers.tensors import in_place

FUNCTIONS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
OF_BITS = ["and_", "or_", "xor", "lshift", "rshift"]


def helper(function):
    return getattr(in_place, f"_i{function.rstrip('_')}")


@pytest.mark.parametrize("function", [*FUNCTIONS, *OF_BITS])
def test_tensor_is_written(function):
    x = ms.Tensor([5, 6, 7]) if function in OF_BITS else ms.Tensor([5.0, 6.0, 7.0])
    expected = getattr(operator, function)(x.asnumpy(), 2)
    assert helper(function)(x, 2) is x
    np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("function", [*FUNCTIONS, *OF_BITS])
def test_numbers_are_as_in_python(function):
    assert helper(function)(7, 2) == getattr(operator, function)(7, 2)


def test_lists_are_extended():
    items = [1]
    assert in_place._iadd(items, [2]) is items
    assert items == [1, 2]


def test_views_are_written():
    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    in_place._iadd(x[1], 1)
    assert x.asnumpy().tolist() == [[1.0, 2.0], [4.0, 5.0]]
