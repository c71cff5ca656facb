"""Networks for the tests of `export`, their inputs, and their results as arrays."""

import numpy as np

from sporax import Tensor, nn


class Net(nn.Cell):
    """Has convolution, batch statistics, randomness and a nested result."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.bn = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)
        self.drop, self.dense = nn.Dropout(p=0.5), nn.Dense(2, 1)

    def construct(self, x: Tensor) -> tuple:
        y = self.drop(self.bn(self.conv(x)).mean((2, 3)))
        return self.dense(y), {"features": [y, 3]}


class Recurrent(nn.Cell):
    """Reads its input in both directions."""

    def __init__(self, kind: type[nn.Cell], layers: int) -> None:
        super().__init__()
        self.inner = kind(4, 5, num_layers=layers, bidirectional=True)

    def construct(self, x: Tensor) -> tuple:
        return self.inner(x)


X = Tensor(np.random.default_rng(0).random((2, 1, 4, 4), np.float32))


def noise(*shape: int) -> Tensor:
    """Return a Tensor of random numbers."""
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))


def flat(value: object) -> list[np.ndarray]:
    """Return the arrays of nested tuples and lists."""
    return [a for v in value for a in flat(v)] if isinstance(value, (tuple, list)) else [np.asarray(value)]
