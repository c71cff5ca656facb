"""What type checkers know of single expressions."""

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np

import sporax as ms
import sporax.dataset as ds
from sporax import Parameter, Tensor, mint, nn, ops


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(4, 2)
        self.lstm = nn.LSTM(4, 2)
        self.w = Parameter(Tensor([1.0]), name="w")

    def construct(self, x: Tensor, scale: float = 1.0) -> Tensor:
        assert_type(self.fc(x), Tensor)
        assert_type(self.w * x, Tensor)
        return self.fc(x) * scale


class Pair(nn.Cell):
    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x, x


def loss(x: Tensor, y: float = 0.5) -> Tensor:
    return (x * y).sum()


def both(x: Tensor) -> tuple[Tensor, Tensor]:
    return x.sum(), x


@ms.jit
def plain(x: Tensor, y: float = 0.5) -> Tensor:
    return x * y


@ms.jit(fullgraph=True)
def optioned(x: Tensor, y: float = 0.5) -> Tensor:
    return x * y


def operators(t: Tensor) -> None:
    assert_type(t + 1, Tensor)
    assert_type(1 - t, Tensor)
    assert_type(2.0 * t / t, Tensor)
    assert_type(t @ t, Tensor)
    assert_type(t**2, Tensor)
    assert_type(-t, Tensor)
    assert_type(t > 0, Tensor)
    assert_type(t == 0, Tensor)
    assert_type(t != t, Tensor)
    assert_type(~(t <= 0) & (t > 1), Tensor)
    assert_type(t[0], Tensor)
    assert_type(t[..., None, 1:], Tensor)
    assert_type(t.sum(), Tensor)
    assert_type(t.mean(axis=0, keep_dims=True), Tensor)
    assert_type(t.argmax(1), Tensor)
    assert_type(t.shape, tuple[int, ...])
    assert_type(t.ndim, int)
    assert_type(t.dtype, ms.Type)
    assert_type(t.T, Tensor)
    assert_type(t.asnumpy(), np.ndarray)
    assert_type(t.astype(ms.float16), Tensor)
    assert_type(t.reshape(2, -1), Tensor)
    assert_type(t.std(), Tensor)
    assert_type(float(t), float)
    assert_type(len(t), int)
    for row in t:
        assert_type(row, Tensor)


def networks(x: Tensor) -> None:
    net = Net()
    assert_type(net(x), Tensor)
    assert_type(net(x, scale=2.0), Tensor)
    assert_type(Pair()(x), tuple[Tensor, Tensor])
    assert_type(nn.ReLU()(x), Tensor)
    assert_type(nn.CrossEntropyLoss()(x, x), Tensor)
    assert_type(mint.nn.Linear(4, 2)(x), Tensor)
    assert_type(net.trainable_params(), list[Parameter])
    assert_type(net.set_train(), Net)
    assert_type(net.fc.weight, Parameter)
    assert_type(dict(net.parameters_and_names()), dict[str, Parameter])
    optimizer = nn.Adam(net.trainable_params(), 0.1)
    assert_type(optimizer, nn.Adam)
    _, grads = ms.value_and_grad(net, None, optimizer.parameters)(x)
    assert_type(optimizer(grads), tuple[bool])
    model = ms.Model(net, nn.MSELoss(), optimizer, metrics={"mae"})
    assert_type(model.eval(ds.NumpySlicesDataset([1])), dict[str, float])
    assert_type(ms.load_checkpoint("net.ckpt"), dict[str, Parameter])


def transformations(x: Tensor, net: Net, w: Parameter) -> None:
    assert_type(ms.jit(loss)(x, y=2.0), Tensor)
    assert_type(plain(x, 2.0), Tensor)
    assert_type(optioned(x, y=2.0), Tensor)
    assert_type(ms.grad(loss)(x), Tensor)
    assert_type(ms.grad(loss, (0, 1))(x, 1.0), tuple[Tensor, ...])
    assert_type(ms.grad(net, None, net.trainable_params())(x), tuple[Tensor, ...])
    assert_type(ms.value_and_grad(loss)(x), tuple[Tensor, Tensor])
    assert_type(ms.value_and_grad(loss, None, net.trainable_params())(x), tuple[Tensor, tuple[Tensor, ...]])
    assert_type(ms.value_and_grad(loss, grad_position=None, weights=w)(x), tuple[Tensor, Tensor])
    assert_type(
        ms.value_and_grad(both, None, weights=net.trainable_params(), has_aux=True)(x),
        tuple[tuple[Tensor, Tensor], tuple[Tensor, ...]],
    )
    assert_type(ms.vmap(loss)(x, 2.0), Tensor)
    assert_type(ms.vmap(both, in_axes=0)(x), tuple[Tensor, Tensor])
    assert_type(ms.recompute(loss, x), Any)
    assert_type(ops.relu(x), Tensor)
    assert_type(ops.cat((x, x), axis=1), Tensor)
    assert_type(ops.zeros((2, 3), ms.float32), Tensor)
    assert_type(ops.topk(x, 2), tuple[Tensor, Tensor])
    assert_type(ops.split(x, 1), tuple[Tensor, ...])
    assert_type(mint.randn(2, 3), Tensor)
    assert_type(mint.exp(x), Tensor)
    assert_type(mint.sum(x, dim=0), Tensor)


def rows(data: ds.GeneratorDataset) -> None:
    for row in data.create_dict_iterator():
        assert_type(row, dict[str, Tensor])
    for arrays in data.create_dict_iterator(num_epochs=1, output_numpy=True):
        assert_type(arrays, dict[str, np.ndarray])
    for columns in data.create_tuple_iterator():
        assert_type(columns, list[Tensor])
    for parts in data.create_tuple_iterator(output_numpy=True):
        assert_type(parts, list[np.ndarray])
    for columns in data:
        assert_type(columns, list[Tensor])
    assert_type(data.batch(2).map(lambda x: x, "x").repeat(2), ds.GeneratorDataset)


FUNCTIONS: list[Callable[[Tensor], Any]] = [Net(), Pair(), loss, plain, nn.Dense(4, 2)]
