"""Losses of numbers: the rows of the tables, the base class, and shapes that differ."""

import warnings

import numpy as np
import pytest
from layer_tables import layers_of

import sporax as ms
from sporax import mint, nn, ops

TestLayers = layers_of("sporax._src.nn.losses.regression")


def test_get_loss_weighs_and_reduces(mode: int) -> None:
    class Own(nn.LossBase):
        def construct(self, x: ms.Tensor, weights: ms.Tensor) -> ms.Tensor:
            return self.get_loss(x, weights)

    x, weights = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1.0, 0.0, 2.0])
    assert Own("sum")(x, weights).item() == 7
    assert Own()(x, weights).item() == pytest.approx(7 / 3)
    assert Own("none")(x, weights).asnumpy().tolist() == [1, 0, 6]


def test_operators_of_the_base_serve_subclasses() -> None:
    base = nn.LossBase()
    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert base.reduce_mean(x, base.get_axis(x)).item() == 2.5
    assert base.reduce_sum(base.mul(x, x)).item() == 30
    assert base.cast(x, ms.float16).dtype == ms.float16


LOSSES = {
    "MSELoss": nn.MSELoss(), "RMSELoss": nn.RMSELoss(), "MAELoss": nn.MAELoss(), "l1_loss": nn.L1Loss(),
    "smooth_l1_loss": nn.SmoothL1Loss(), "huber_loss": nn.HuberLoss(), "mse_loss": mint.nn.MSELoss(),
    "PoissonNLLLoss": nn.PoissonNLLLoss(),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_shapes_that_differ_are_told_where_the_program_calls(name: str, mode: int) -> None:
    column, row = ms.Tensor(np.ones((4, 1), np.float32)), ms.Tensor(np.ones(4, np.float32))
    run = ms.jit(lambda x, y: LOSSES[name](x, y)) if mode == ms.GRAPH_MODE else LOSSES[name]
    text = rf"^{name}: the shapes \[4, 1\] and \[4\] differ, and are broadcast to \[4, 4\]; reshape one of the two"
    with pytest.warns(UserWarning, match=text) as caught:
        run(column, row)
    assert [w.filename for w in caught] == [__file__]
    run(column, column)


def test_shapes_that_differ_are_told_of_other_names() -> None:
    column, row = ms.Tensor(np.ones((4, 1), np.float32)), ms.Tensor(np.ones(4, np.float32))
    for loss in (mint.nn.L1Loss(), mint.nn.SmoothL1Loss(), mint.nn.functional.mse_loss, ops.huber_loss):
        with pytest.warns(UserWarning, match="differ, and are broadcast"):
            loss(column, row)
    with pytest.warns(UserWarning, match="gaussian_nll_loss: the shapes"):
        ops.gaussian_nll_loss(column, row, column)
    ops.mse_loss(column, 0.5)
    with pytest.warns(UserWarning, match="differ") as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            ops.mse_loss(column, row)
    assert len(caught) == 1
