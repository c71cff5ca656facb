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
