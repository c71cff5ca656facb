"""Layers that gather for THOR: the rows of the tables, and what they gather."""

import numpy as np
import pytest
from layer_tables import layers_of
from thor_cases import GOLDEN, SCOPE

import sporax as ms
from sporax import Tensor, nn, ops

TestLayers = layers_of("sporax._src.nn.thor_layers")


@pytest.mark.parametrize("text", GOLDEN["gathered"])
def test_gathered(text: str, mode: int) -> None:
    golden = GOLDEN["gathered"][text]
    told, inputs = golden["graph" if mode == ms.GRAPH_MODE else "pynative"], golden["inputs"]
    layer = eval(text, SCOPE)

    def weighted(x: Tensor) -> Tensor:
        out = layer(x)
        return (out * ops.arange(1, out.size + 1).reshape(out.shape).astype(out.dtype)).sum()

    x = Tensor(np.array(inputs[0], np.int32 if isinstance(inputs[0][0][0], int) else np.float32))
    ms.grad(weighted, None, layer.trainable_params())(x)
    for name, value in told.items():
        np.testing.assert_allclose(getattr(layer, name).asnumpy(), value, rtol=1e-6, err_msg=name)


def test_the_flag_stops_the_gathering(mode: int) -> None:
    net = nn.SequentialCell(nn.DenseThor(2, 2))
    net(Tensor([[1.0, 2.0]]))
    first = net[0].matrix_a.asnumpy()
    net.add_flags_recursive(thor=False)
    net(Tensor([[3.0, 4.0]]))
    np.testing.assert_array_equal(net[0].matrix_a.asnumpy(), first)
    net.add_flags_recursive(thor=True)
    net(Tensor([[3.0, 4.0]]))
    assert (net[0].matrix_a.asnumpy() != first).any()
