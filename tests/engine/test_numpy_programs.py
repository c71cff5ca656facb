"""Programs of NumPy give what XLA gives: exactly, or up to the last bits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax._src.engine import numpy_windows
from sporax._src.engine.numpy_programs import NotInNumPy, Program

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")


X = np.array([[-3.5, -1.0, -0.0, 0.0], [0.5, 1.5, np.inf, np.nan], [2.5, -2.5, -np.inf, 1e-3]], np.float32)


U = np.array([[0.1, 0.9, 0.5, 0.0], [1.0, 0.25, 0.75, 0.3]], np.float32)


Y = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)


N = np.array([[3, -1, 2, 7], [0, 5, -8, 5]], np.int32)


K = np.array([[0, 2], [1, 3], [9, -7]], np.int32)


B = np.array([True, False, True, False])


CUBE = np.random.default_rng(1).normal(size=(2, 3, 4)).astype(np.float32)


EXACT = {
    "replaced": (
        lambda x, i: [x.at[i[0]].set(7), x.at[:, i[0]].set(0), x.at[1].set(x[0]), x.at[0, 1].set(5)],
        Y,
        np.array([[1, 2]], np.int32),
    ),
    "arithmetic": (lambda x, y: [x + y, x - y, x * y, x / y, -x, abs(x), lax.square(x), lax.sqrt(x)], X, Y),
    "comparisons": (lambda x, y: [x > y, x >= y, x < y, x <= y, x == y, x != y, lax.is_finite(x)], X, Y),
    "extrema": (
        lambda x, y: [lax.max(x, y), lax.min(x, y), jnp.clip(x, -1, 1), x.max(), x.min(0), x.max(1)],
        X,
        Y,
    ),
    "extrema of none": (lambda x: [jnp.max(x[:0], 0, initial=-jnp.inf), jnp.any(x[:0] > 0, 0)], X),
    "extrema of integers": (lambda x: [x.max(0), x.min(1), x.sum(0), x.prod(1)], N),
    "rounding": (lambda x: [jnp.round(x), lax.round(x), jnp.floor(x), jnp.ceil(x), jnp.trunc(x), jnp.sign(x)], X),
    "remainders": (lambda x, y: [lax.rem(x, y), x % y], X, Y),
    "whole quotients": (lambda x, y: [lax.div(x, y), lax.rem(x, y), x // y, x % y, lax.div(x, y * 0)], N, N[::-1]),
    "bits": (lambda x, y: [x & y, x | y, x ^ y, ~x, ~(x > y)], N, N[::-1]),
    "shifts": (
        lambda x, y: [
            shift(v, lax.convert_element_type(y, v.dtype))
            for v in (x, lax.convert_element_type(x, np.uint32), lax.convert_element_type(x, np.int8))
            for shift in (lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic)
        ],
        N * 1001,
        np.array([[0, 1, 7, 31], [32, 40, 3, 8]], np.int32),
    ),
    "cut and padded": (
        lambda x: [
            lax.pad(x, jnp.float32(9), config) for config in ([(-1, 2, 0), (1, -2, 0)], [(-1, -1, 0), (0, -1, 0)])
        ],
        Y,
    ),
    "parts": (lambda x: [*jnp.unstack(x), *jnp.unstack(x, axis=1), x[jnp.array([2, 0]), jnp.array([1, 3])]], Y),
    "unused": (lambda x: (lambda unused: [x + 1])(jnp.ones((2**11, 2**10)) @ jnp.ones((2**10, 1))), Y),
    "powers": (lambda x: [x**2, x**3, x**-1, x**5], X),
    "powers of integers": (lambda x: [x**2, x**3], N),
    "conversions": (lambda x: [x.astype(d) for d in (np.int32, np.int8, np.uint8, np.bool_, np.float64)], X),
    "bits of floats": (lambda x: [lax.bitcast_convert_type(x, np.int32), lax.bitcast_convert_type(x.T, np.uint32)], Y),
    "conversions of one number": (lambda x: [x[0, :1].astype(np.int32), x[0, 0].astype(np.int32)], Y),
    "conversions of integers": (lambda x: [x.astype(d) for d in (np.int64, np.uint8, np.bool_, np.float32)], N),
    "shapes": (
        lambda x: [x.reshape(4, 3), x.T, x[:, None], x[1:, ::2], x[::-1], jnp.flip(x), jnp.ravel(x)[3:4].squeeze()],
        X,
    ),
    "turned reshape": (lambda x: [jnp.reshape(x, (2, 6), order="F")], X),
    "splits": (
        lambda x: [*jnp.split(x, [1, 3], 1), jnp.concatenate([x, x], 1), jnp.stack([x, x]), jnp.tile(x, (2, 1))],
        X,
    ),
    "padding": (
        lambda x: [jnp.pad(x, ((1, 2), (0, 3)), constant_values=2), lax.pad(x, np.float32(0), ((0, 1, 2), (1, 0, 0)))],
        X,
    ),
    "numbers": (
        lambda x: [jnp.arange(5), jnp.ones((2, 3)), jnp.eye(3), jnp.tril(x), jnp.triu(x, 1), jnp.full((2,), 7)],
        X,
    ),
    "order": (lambda x: [jnp.sort(x), jnp.argsort(x, 0), *lax.sort((x, -x), num_keys=1)], Y),
    "order of equals": (lambda x: [jnp.argsort(x), jnp.sort(x, 0)], N),
    "running extrema": (lambda x: [lax.cummax(x, 1), lax.cummin(x, 0), lax.cummax(x, 0, reverse=True)], Y),
    "running counts": (lambda x: [jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cumsum(x, 1, reverse=True)], N),
    "taken": (lambda x, k: [x[k[:, 0]], jnp.take(x, k, 1), x[k[0], k[1]], x[..., k[0]]], Y, K),
    "taken by default": (lambda x, k: [jnp.take(x, k, 0, mode=m) for m in ("fill", "clip", "wrap")], Y, K),
    "taken along": (
        lambda x, k: [jnp.take_along_axis(x, k, 1), jnp.take_along_axis(x[..., None], k[..., None], 1)],
        Y,
        K,
    ),
    "integers taken": (lambda x, k: [jnp.take(x, k, 0, mode="fill"), jnp.take(x > 0, k, 1, mode="fill")], N, K),
    "windows": (lambda x: [lax.dynamic_slice(x, (1, 9), (2, 2)), lax.dynamic_update_slice(x, x[:1, :2], (-1, 3))], X),
    "logic": (
        lambda x: [jnp.any(x > 0, 0), jnp.all(x > 0, 1), jnp.isnan(x), jnp.isinf(x), jnp.logical_xor(x > 0, x < 1)],
        X,
    ),
    "of functions": (
        lambda x: [jax.nn.relu(x), jax.jit(jnp.abs)(x) + jax.jit(jnp.abs)(-x), jax.checkpoint(jnp.abs)(x)],
        X,
    ),
}


NEAR = {
    "functions": (
        lambda x: [
            f(x) for f in (jnp.exp, jnp.exp2, jnp.expm1, jnp.sin, jnp.cos, jnp.tan, jnp.arctan, jnp.tanh, jnp.sinh)
        ],
        Y,
    ),
    "more functions": (
        lambda x: [
            f(x) for f in (jnp.cosh, jnp.arcsinh, jnp.cbrt, lax.erf, lax.erfc, lax.logistic, lax.rsqrt, jnp.log)
        ],
        X,
    ),
    "of fractions": (
        lambda x: [f(x) for f in (jnp.arcsin, jnp.arccos, jnp.arctanh, jnp.log1p, lambda x: jnp.arccosh(x + 1))],
        U,
    ),
    "two operands": (lambda x, y: [jnp.power(abs(x), y), jnp.arctan2(x, y), jnp.hypot(x, y)], X, Y),
    "sums": (lambda x: [x.sum(), x.mean(0), x.var(1), x.prod(1), jnp.cumsum(x, 0), jax.nn.logsumexp(x, 1)], Y),
    "softmax": (lambda x: [jax.nn.softmax(x), jax.nn.gelu(x), jax.nn.log_softmax(x, 0), jax.nn.silu(x)], Y),
    "products": (lambda x, y: [x @ y.T, x[0] @ y[0], jnp.outer(x, y), jnp.tensordot(x, y, ((0,), (0,)))], Y, Y * 2),
    "batched": (
        lambda x: [x @ x.swapaxes(1, 2), jnp.einsum("abc,adc->adb", x, x), x[:0] @ x[0].T],
        CUBE,
    ),
}


def both(name, table):
    fn, *given = table[name]
    with jax.numpy_dtype_promotion("standard"):
        program = Program(jax.make_jaxpr(fn)(*given))
        wanted = [np.asarray(w) for w in jax.jit(fn)(*given)]
    return program(given), wanted


@pytest.mark.parametrize("name", EXACT)
def test_exact_operations_give_what_xla_gives(name):
    got, wanted = both(name, EXACT)
    for value, want in zip(got, wanted, strict=True):
        assert value.dtype == want.dtype
        np.testing.assert_array_equal(value, want, strict=True)


@pytest.mark.parametrize("name", NEAR)
def test_other_operations_differ_in_the_last_bits(name):
    got, wanted = both(name, NEAR)
    for value, want in zip(got, wanted, strict=True):
        assert value.dtype == want.dtype
        np.testing.assert_allclose(value, want, rtol=2e-6, atol=1e-6, strict=True)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x.astype(jnp.float16) * 2,
        lambda x: x + 1j,
        lambda x: jnp.zeros((2**11, 2**10)) + x[0, 0],
        lambda x: jnp.ones((2**10, 2**9)) @ jnp.ones((2**9, 2**10)),
        lambda x: jax.random.uniform(jax.random.key(0), (2,)),
        lambda x: x.at[0].mul(2),
        lambda x: x.astype(jnp.int64),
    ],
    ids="float16 complex large product random scatter int64".split(),
)
def test_what_is_left_to_xla(fn):
    with jax.numpy_dtype_promotion("standard"), pytest.raises(NotInNumPy):
        Program(jax.make_jaxpr(fn)(Y))


@pytest.mark.parametrize(
    "shape", [(1, 480, 64, 256), (3, 77, 130, 50), (1, 5, 9, 7), (2, 1000, 16, 17), (1, 64, 4096, 4096)], ids=str
)
def test_a_product_in_parts_is_the_product(shape):
    batch, rows, count, columns = shape
    random = np.random.default_rng(0)
    x = random.standard_normal((batch, rows, count)).astype(np.float32)
    y = random.standard_normal((batch, count, columns)).astype(np.float32)
    np.testing.assert_allclose(numpy_windows.product(x, y), np.matmul(x, y), rtol=1e-5, atol=1e-4)
