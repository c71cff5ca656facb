"""Primitives of the reductions."""

from sporax import Tensor, ops

X = Tensor([[3.0, 4.0], [6.0, 8.0]])


def test_norm_and_median() -> None:
    assert ops.EuclideanNorm()(X, 1).tolist() == [5, 10]
    assert ops.EuclideanNorm(keep_dims=True)(X, (1,)).shape == (2, 1)
    value, index = ops.Median(axis=1)(X)
    assert value.tolist() == [3, 6] and index.tolist() == [0, 0]
    assert ops.Median(global_median=True)(X)[0].item() == 4
