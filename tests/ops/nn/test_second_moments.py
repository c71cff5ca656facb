"""Second moments of rows, patches and channels, which THOR approximates curvature with."""

import numpy as np
import pytest
from operands import counted

import sporax as ms
from sporax import Tensor
from sporax._src.ops.nn import second_moments

X = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)


def test_rows() -> None:
    np.testing.assert_allclose(second_moments.second_moment(Tensor(X), 4).asnumpy(), X.T @ X / 4, rtol=1e-5)
    assert ms.grad(lambda x: second_moments.second_moment(x, 4).sum())(Tensor(X)).asnumpy().any() == False  # noqa: E712


def test_channels() -> None:
    x = X.reshape(2, 3, 2)
    mean = x.mean(0)
    np.testing.assert_allclose(second_moments.channel_moment(Tensor(x)).asnumpy(), mean @ mean.T / 2, rtol=1e-5)


@pytest.mark.parametrize("kernel", [(1, 1), (3, 3)])
def test_patches(kernel) -> None:
    got = second_moments.patch_moment(counted(1, 2, 4, 4), kernel, (1, 1), (1, 1))
    size = 2 * kernel[0] * kernel[1]
    assert got.shape == (size, size)
    np.testing.assert_allclose(got.asnumpy(), got.asnumpy().T, rtol=1e-5)
    middle = size // 2 // 2
    np.testing.assert_allclose(got.asnumpy()[middle, middle], (np.arange(16.0) ** 2).mean(), rtol=1e-5)


def test_counts() -> None:
    assert second_moments.counts_of(Tensor([[0, 2], [2, 5]]), 4).tolist() == [1, 0, 2, 0]
