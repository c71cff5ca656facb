"""The advice of a fallback fits what the graph could not take."""

import numpy as np
import pytest

import sporax as ms
from sporax import nn, ops
from sporax._src.base.errors import CompileFallback


class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = 0

    def construct(self, x):
        self.n += 1
        return x


class Logging(nn.Cell):
    def __init__(self):
        super().__init__()
        self.log = []

    def construct(self, x):
        self.log.append(x)
        return x


def with_numpy(x):
    return ops.ones(2) * np.sqrt(x)


def with_item(x):
    return x.sum().item()


def with_mask(x):
    return x[x > 0]


def with_range(x):
    return x + ops.range(0, int(x.sum()), 1).sum()


def with_growth(x):
    while x.sum() < 10:
        x = ops.concat((x, x))
    return x


def with_try(x):
    try:
        if x.sum() > 0:
            raise ValueError("positive")
    except ValueError:
        x = x + 1
    return x


def with_size(x):
    return x.reshape(int(x.sum()), -1)


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (Counting(), "Keep the count in a Parameter"),
        (Logging(), "Return the value, and keep it outside of the graph."),
        (with_numpy, "Use the function of ops in place of NumPy's."),
        (with_item, "Return the Tensor, and convert it outside of the graph."),
        (with_mask, "use ops.where or ops.masked_fill, which keep the shape."),
        (with_range, "Sizes in a graph are fixed"),
        (with_growth, "Give both paths one shape"),
        (with_try, "Leave the try statement outside of the graph"),
        (with_size, "Sizes in a graph are fixed"),
    ],
)
def test_advice(function, want: str) -> None:
    with pytest.warns(CompileFallback, match=want):
        ms.jit(function)(ms.Tensor([1.0, 1.0]))
