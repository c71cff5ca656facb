"""Primitives that a class of layers holds: each object makes its own when it is read."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.bindings.primitive import holds, own


class Scaled(nn.Cell):
    """A layer that holds Primitives."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis = axis
        self.w = Parameter(Tensor([2.0]), name="w")

    squeeze, bias_add = holds("Squeeze", own.axis), holds("BiasAdd", data_format=own.layout)
    either = holds(lambda self: "Exp" if self.axis else "Log")
    layout = "NCHW"

    def construct(self, x: Any) -> Any:
        return self.squeeze(x) * self.w


def test_each_object_makes_its_own_when_it_is_read() -> None:
    one, two = Scaled(0), Scaled(1)
    assert "squeeze" not in vars(one) and {"squeeze", "bias_add", "either"} <= set(dir(one))
    assert one.squeeze is one.squeeze is not two.squeeze and (one.squeeze.axis, two.squeeze.axis) == (0, 1)
    assert one.bias_add.data_format == "NCHW" and (one.either.name, two.either.name) == ("Log", "Exp")
    assert isinstance(Scaled.squeeze, type(Scaled.bias_add))
    assert [name for name, _ in one.parameters_and_names()] == ["w"] and repr(one) == "Scaled()"


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_what_is_held_is_copied_saved_and_replaced(mode: int) -> None:
    ms.set_context(mode=mode)
    net, x = Scaled(0), Tensor([[1.0, 2.0]])
    assert net(x).asnumpy().tolist() == [2, 4]
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other.squeeze is not net.squeeze and other.squeeze.axis == 0
        assert other(x).asnumpy().tolist() == [2, 4]
    net.squeeze.add_prim_attr("level", 2)
    assert net.squeeze.attrs == {"level": 2}
    net.squeeze = ops.Exp()
    np.testing.assert_allclose(net(x).asnumpy(), 2 * np.exp([[1.0, 2.0]]), rtol=1e-6)
    del net.squeeze
    assert net(x).asnumpy().tolist() == [2, 4]


X = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)


@pytest.mark.parametrize("cell", [nn.Conv2d(2, 3, 3), nn.Dense(2, 3), nn.LayerNorm((2,)), nn.BatchNorm2d(2)])
def test_operators_of_layers_serve_subclasses(cell: nn.Cell) -> None:
    names = [
        n for n in ("conv2d", "matmul", "bias_add", "layer_norm", "bn_train", "bn_infer") if hasattr(type(cell), n)
    ]
    assert names
    for name in names:
        assert isinstance(getattr(cell, name), ms.ops.Primitive)
    copy.deepcopy(cell)


def test_a_subclass_may_use_and_replace_them(mode: int) -> None:
    class Standardized(nn.Conv2d):
        def construct(self, x: ms.Tensor) -> ms.Tensor:
            weight = self.weight - self.weight.mean()
            return self.conv2d(x, weight)

    class Own(nn.Dense):
        def __init__(self) -> None:
            super().__init__(2, 2, has_bias=False)
            self.matmul = ms.ops.MatMul()

        def construct(self, x: ms.Tensor) -> ms.Tensor:
            return self.matmul(x, self.weight)

    assert Standardized(2, 3, 3)(ms.Tensor(X)).shape == (2, 3, 2, 2)
    assert Own()(ms.Tensor(np.ones((1, 2), np.float32))).shape == (1, 2)
