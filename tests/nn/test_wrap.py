"""Cells around a network: its gradient, its update, and the exchange of its gradients."""

import pytest

from sporax import Tensor, nn


def test_cells_around_a_network(mode: int) -> None:
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    grads = nn.WithGradCell(net, nn.MSELoss(), sens=2.0)(Tensor([[1.0, 1.0]]), Tensor([[1.0]]))
    assert [g.asnumpy().ravel().tolist() for g in grads] == [[4.0, 4.0], [4.0]]
    assert nn.ParameterUpdate(net.bias)(Tensor([3.0])).item() == net.bias.item() == 3.0
    reducer = nn.DistributedGradReducer(net.trainable_params())
    assert [g.item() for g in reducer((Tensor(1.0), Tensor(2.0)))] == [1.0, 2.0]
    with pytest.raises(TypeError, match="param must be a Parameter, got 1"):
        nn.ParameterUpdate(1)
    with pytest.raises(ValueError, match="degree must be an int > 0, got 0"):
        nn.DistributedGradReducer([], degree=0)
