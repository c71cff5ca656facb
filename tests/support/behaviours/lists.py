"""Lists and tuples of Tensors and numbers where an operator takes a Tensor."""

from collections.abc import Callable
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

X = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2))
W = Tensor(np.array([3.0, 5.0], np.float32))


class Sum(nn.Cell):
    def construct(self, x: Any, w: Any) -> Any:
        return x + (w,)


class Product(nn.Cell):
    def construct(self, x: Any, w: Any) -> Any:
        return [w, w] * x


class Difference(nn.Cell):
    def construct(self, x: Any, w: Any) -> Any:
        return (w[1], w[0]) - x


class Mixed(nn.Cell):
    def construct(self, x: Any, w: Any) -> Any:
        return x / (w[0], 1.0)


class Numbers(nn.Cell):
    def construct(self, x: Any, w: Any) -> Any:
        return x * [1.0, 2.0] + w


def _differentiated(cell: Callable[..., Any]) -> Any:
    return cell(X, W), ms.grad(cell, (0, 1))(X, W)


def tuple_beside_a_tensor() -> Any:
    """Gradients flow to the Tensors of a tuple."""
    return _differentiated(Sum())


def list_before_a_tensor() -> Any:
    """Gradients flow to the Tensors of a list on the left, twice to one that is there twice."""
    return _differentiated(Product())


def tuple_of_elements() -> Any:
    """Elements are stacked in their order."""
    return _differentiated(Difference())


def tensors_and_numbers() -> Any:
    """A number beside Tensors is an element, too."""
    return _differentiated(Mixed())


def list_of_numbers() -> Any:
    """A list of numbers is a Tensor of them."""
    return _differentiated(Numbers())


def membership() -> Any:
    """`in` looks for an element of a Tensor that is equal, in any row."""
    found = [value in X for value in (3.0, 9.0, Tensor(2.0), W, None, "a")]
    return found, 1.0 in Tensor(1.0), [0.0, 1.0] in X, 9.0 not in X


class _Found(nn.Cell):
    def construct(self, x: Any, value: Any) -> Any:
        if 9.0 in x:
            return x
        return x + 1 if value in x else x - 1


def membership_decides() -> Any:
    """`in` decides a branch."""
    return _Found()(X, 3.0), _Found()(X, 7.0)


def dtypes_of_tensors_of_lists() -> Any:
    """A Tensor of a list or tuple has float32 for float64 and int64 for int32, also where it holds arrays and Tensors."""
    rows = np.ones(2), np.ones(2, np.float32), np.ones(2, np.int32), np.ones(2, np.float16)
    lists = [
        *([row] for row in rows),
        *([row[0]] for row in rows),
        *([Tensor(row)] for row in rows),
        list(rows[:2]),
        rows[1:3],
        [rows[1], [1, 2]],
        [rows[0][0], 2],
        [rows[2][0], 2.5],
        [Tensor(1.0), 2],
        [np.uint8(3)],
        [[], []],
    ]
    return [(str(Tensor(value).dtype), str(ms.tensor(value).dtype)) for value in lists], Tensor(
        [rows[0]], ms.float64
    ).dtype


def dtypes_of_tensors_of_scalars() -> Any:
    """A scalar of NumPy keeps its dtype, Python's numbers have none."""
    return [str(Tensor(value).dtype) for value in (np.float64(1), np.int32(1), np.float32(1), 1.0, 1, True)]


def a_tensor_of_rows_of_different_length() -> Any:
    """Rows of different length are no Tensor."""
    return Tensor([[1, 2], [3]])


def a_tensor_of_an_array_and_something_else() -> Any:
    """Neither is an array beside what is none, as gymnasium's `reset` returns."""
    return Tensor((np.ones(2), {}))


def copies_with_a_memo() -> Any:
    """`__deepcopy__` takes its memo by name; that of a Tensor is not looked at."""
    x = Tensor([1.0, 2.0])
    return x.__deepcopy__(memodict=x), ms.Parameter(x, name="a").__deepcopy__(memodict={}).name


def ends_of_ranges() -> Any:
    """`numpy.arange` takes numbers of NumPy, arrays and Tensors of one element; ints of Python alone make ints."""
    three: tuple[Any, ...] = (
        3,
        3.0,
        np.int64(3),
        np.float32(3),
        np.array(3),
        np.array([3.0]),
        Tensor(3),
        Tensor([3.0]),
    )
    return [ms.numpy.arange(end) for end in three], ms.numpy.arange(1, Tensor(3)), ms.numpy.arange(0, np.int64(4), 2)
