"""Normalisation over layers, groups, channels and the batch, and what all normalisations share."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from laws.rows import laws_of
from operands import counted, tensor

from sporax import Parameter, ops
from sporax._src.ops.nn.normalization import _moments, _normalized, _scaled

test_row = laws_of("sporax._src.ops.nn.normalization")


def test_batch_norm_updates_the_running_statistics() -> None:
    """Training takes the unbiased variance into the running statistics, in the function and in the Primitive."""
    x, one, zero = counted(2, 2, 2, 2), tensor([1, 1]), tensor([0, 0])
    mean, var = Parameter(zero, name="mean"), Parameter(one, name="var")
    ops.batch_norm(x, mean, var, one, zero, True, 0.1)
    np.testing.assert_allclose(mean.asnumpy(), [0.55, 0.95], rtol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), [2.871429, 2.871429], rtol=1e-6)
    mean, var = Parameter(zero, name="mean"), Parameter(one, name="var")
    _, _, _, batch_mean, batch_var = ops.BatchNorm(is_training=True)(x, one, zero, mean, var)
    np.testing.assert_allclose(var.asnumpy(), [2.871429, 2.871429], rtol=1e-6)
    np.testing.assert_allclose(batch_mean.asnumpy(), [5.5, 9.5])
    np.testing.assert_allclose(batch_var.asnumpy(), [17.25, 17.25])


@pytest.mark.parametrize("has_weight", [True, False])
def test_the_written_derivatives_are_those_of_the_formula(has_weight: bool) -> None:
    """The first in both directions, and the second, with the statistics among the results."""
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(3, 2, 2, 2)) + 5)
    scale = [jnp.asarray(rng.normal(size=(1, 2, 1, 1))) for _ in range(2)] if has_weight else [None, None]

    def plain(x, weight, bias, axes, eps):
        mean, var = _moments(x, axes)
        return _scaled(x, mean, var, eps, weight, bias), mean, var

    def summed(fn):
        def total(x, scale):
            y, mean, var = fn(x, *scale, (0, 2, 3), 1e-3)
            return jnp.sin(y).sum() + (mean**2).sum() + (var**3).sum()

        return total

    for derivative in (jax.grad, jax.jacfwd, jax.hessian):
        got, expected = (derivative(summed(fn), (0, 1))(x, scale) for fn in (_normalized, plain))
        for g, e in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(g, e, rtol=1e-9, atol=1e-9)


def test_the_gradient_of_a_batch_is_two_sums() -> None:
    """Those of the results' gradient, and of its product with the normalised values; XLA finds each once."""

    def loss(x, weight, bias):
        return jnp.sin(_normalized(x, weight, bias, (0,), 1e-5)[0]).sum()

    operands = jnp.ones((8, 4)), jnp.ones((1, 4)), jnp.ones((1, 4))
    forward, both = (jax.jit(f).lower(*operands).compile().as_text() for f in (loss, jax.grad(loss, (0, 1, 2))))
    sums = [text.count(" reduce(") for text in (forward, both)]
    assert sums == [3, 4]  # mean, variance and the loss; mean, variance and these two
