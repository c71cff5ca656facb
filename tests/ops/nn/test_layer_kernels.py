"""What layers compute in one operator."""

import numpy as np
import pytest

from sporax import Tensor
from sporax._src.ops.nn import layer_kernels as kernels

X = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)


def ones(n: int) -> Tensor:
    return Tensor(np.ones(n, np.float32))


def zeros(n: int) -> Tensor:
    return Tensor(np.zeros(n, np.float32))


def test_norms_of_layers_and_images() -> None:
    want = (X - X.mean(2, keepdims=True)) / np.sqrt(X.var(2, keepdims=True) + 1e-5)
    got = kernels.layer_norm(Tensor(X), ones(4), zeros(4), 2, 2, 1e-5)
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-4, atol=1e-5)
    y, mean, variance = kernels.instance_norm(Tensor(X), ones(3), zeros(3), zeros(3), ones(3), 0.1, 1e-5)
    np.testing.assert_allclose(y.asnumpy(), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(mean.asnumpy(), 0.1 * X.mean((0, 2)), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(variance.asnumpy(), 0.9 + 0.1 * X.var(2, ddof=1).mean(0), rtol=1e-4)


@pytest.mark.parametrize(("operator", "want"), [("SUM", [[3.0], [3.0], [0.0]]), ("MEAN", [[1.0], [3.0], [0.0]])])
def test_fields_are_merged(operator: str, want: list) -> None:
    rows = Tensor(np.array([[[1.0], [1.0], [3.0]]], np.float32))
    values, fields = Tensor([[1.0, 2.0, 1.0]]), Tensor(np.array([[0, 0, 1]], np.int32))
    assert kernels.merge_fields(rows, values, fields, 3, operator).tolist() == [want]
