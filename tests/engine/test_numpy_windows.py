"""Convolutions, pooling and scattered sums by NumPy give what XLA gives, up to the last bits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax._src.engine.numpy_programs import NotInNumPy, Program

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")

RANDOM = np.random.default_rng(0)


def numbers(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def convolution(padding="SAME", strides=(1, 1), **options):
    return lambda x, w: lax.conv_general_dilated(x, w, strides, padding, **options)


def with_gradients(fn):
    def both(*arrays):
        out, pullback = jax.vjp(fn, *arrays)
        return [out, *pullback(jnp.cos(out))]

    return both


CONVOLUTIONS = {
    "plain": (convolution(), (2, 3, 9, 8), (4, 3, 3, 3)),
    "strides": (convolution("VALID", (2, 3)), (2, 3, 9, 8), (4, 3, 3, 2)),
    "dilated kernel": (convolution([(2, 1), (0, 3)], rhs_dilation=(2, 1)), (2, 3, 9, 8), (4, 3, 3, 3)),
    "transposed": (convolution([(1, 2), (2, 0)], lhs_dilation=(2, 3)), (2, 3, 5, 4), (4, 3, 3, 3)),
    "negative padding": (convolution([(-1, 0), (2, -2)]), (2, 3, 9, 8), (4, 3, 3, 3)),
    "groups": (convolution(feature_group_count=2), (2, 4, 7, 6), (6, 2, 3, 3)),
    "depthwise": (convolution("SAME", (2, 2), feature_group_count=5), (3, 5, 7, 6), (5, 1, 3, 3)),
    "groups of the batch": (convolution(batch_group_count=2), (4, 3, 7, 6), (6, 3, 3, 3)),
    "channels last": (
        convolution(dimension_numbers=("NHWC", "HWIO", "NHWC")), (2, 9, 8, 3), (3, 3, 3, 4),
    ),
    "one axis": (lambda x, w: lax.conv_general_dilated(x, w, (2,), "SAME"), (2, 3, 9), (4, 3, 3)),
    "three axes": (lambda x, w: lax.conv_general_dilated(x, w, (1, 2, 1), "SAME"), (2, 3, 5, 4, 6), (4, 3, 2, 3, 3)),
}  # fmt: skip


@pytest.mark.parametrize("fn, image, kernel", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
def test_convolutions(fn, image, kernel):
    agree(with_gradients(fn), numbers(*image), numbers(*kernel))


def pool(start, op, padding="VALID", strides=(1, 1, 2, 2), **options):
    return lambda x: lax.reduce_window(x, start, op, (1, 1, 3, 2), strides, padding, **options)


POOLS = {
    "largest": pool(-jnp.inf, lax.max),
    "largest of padded": pool(-jnp.inf, lax.max, ((0, 0), (0, 0), (1, 1), (1, 0)), (1, 1, 1, 3)),
    "sums": pool(0.0, lax.add, "SAME"),
    "sums of dilated": pool(0.0, lax.add, "SAME", window_dilation=(1, 1, 2, 1)),
}


@pytest.mark.parametrize("fn", POOLS.values(), ids=POOLS)
def test_pooling(fn):
    agree(fn, numbers(2, 3, 9, 8))


@pytest.mark.parametrize("name", ["largest", "largest of padded", "sums"])
def test_gradients_of_pooling(name):
    agree(with_gradients(POOLS[name]), numbers(2, 3, 9, 8))


def test_gradients_of_ties_go_to_the_first():
    agree(with_gradients(POOLS["largest"]), np.ones((1, 1, 9, 8), np.float32))


def test_smallest_of_windows():
    agree(lambda x: lax.reduce_window(x, jnp.inf, lax.min, (2, 2), (1, 2), "SAME"), numbers(5, 6))


SCATTERED = {
    "rows": (lambda x, k, u: x.at[k].add(u), (5, 3), np.array([0, 2, 0, -1]), (4, 3)),
    "elements": (lambda x, k, u: x.at[k[0], k[1]].add(u), (5, 3), np.array([[0, 2, 0], [1, 1, 1]]), (3,)),
    "columns": (lambda x, k, u: x.at[:, k].add(u), (5, 3), np.array([[0, 2], [2, 1]]), (5, 2, 2)),
    "outside": (lambda x, k, u: x.at[k].add(u, mode="drop"), (5, 3), np.array([0, 7, 2]), (3, 3)),
    "moved inside": (lambda x, k, u: x.at[k].add(u, mode="clip"), (5, 3), np.array([0, 7, 2]), (3, 3)),
}


@pytest.mark.parametrize("fn, shape, indices, updates", SCATTERED.values(), ids=SCATTERED)
def test_scattered_sums(fn, shape, indices, updates):
    agree(fn, numbers(*shape), indices, numbers(*updates))


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1,)])
def test_sums_into_the_whole_array(shape):
    """No index is needed, as in `polyadd` of vectors of one length."""
    agree(lambda x, u: x.at[-shape[0] :].add(u), numbers(*shape), numbers(*shape))


def test_gradient_of_a_gather_with_a_batch():
    fn = with_gradients(lambda x: jnp.take_along_axis(x, np.array([[0, 2], [1, 1], [0, 0]]), 1))
    agree(fn, numbers(3, 4))


def test_large_convolutions_are_left_to_xla():
    image, kernel = np.zeros((8, 64, 64, 64), np.float32), np.zeros((64, 64, 3, 3), np.float32)
    with pytest.raises(NotInNumPy):
        Program(jax.make_jaxpr(convolution())(image, kernel))


def agree(fn, *arrays):
    wanted = jax.tree.leaves(jax.jit(fn)(*arrays))
    results = Program(jax.make_jaxpr(fn)(*arrays))([np.asarray(a) for a in arrays])
    assert len(results) == len(wanted)
    for result, value in zip(results, wanted, strict=True):
        assert result.dtype == value.dtype
        np.testing.assert_allclose(result, value, rtol=2e-5, atol=2e-5)
