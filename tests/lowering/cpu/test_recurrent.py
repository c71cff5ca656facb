"""Recurrent layers by the kernels in C++: values and derivatives of every order, and where XLA's loop stays."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.lowering import off
from sporax._src.lowering.recurrence import KINDS
from sporax._src.ops.nn import recurrent

pytestmark = [
    pytest.mark.of_cpus("the kernels are for CPUs"),
    pytest.mark.skipif(
        shutil.which("c++") is None and not kernels.ARE_BUILT, reason="the wheel was built without a compiler"
    ),
]
LAYERS: dict[
    str, tuple[int, Callable[..., Any]]
] = {  # how many gates, and the layer of (x, h, c, *weights, lengths, reverse)
    "lstm": (4, lambda x, h, c, *rest: recurrent.lstm_layer.raw(x, h, c, *rest)),
    "gru": (3, lambda x, h, c, *rest: recurrent.gru_layer.raw(x, h, *rest)),
    "tanh": (1, lambda x, h, c, *rest: recurrent.rnn_layer.raw(x, h, *rest, "tanh")),
    "relu": (1, lambda x, h, c, *rest: recurrent.rnn_layer.raw(x, h, *rest, "relu")),
}
TIMES, SIZE = 5, 3
LENGTHS = {"whole": None, "lengths": [5, 0, 3, 1, 2, 5, 4, 3, 5]}


def operands(kind: str, batch: int, hidden: int, dtype: str = "float32") -> list[jax.Array]:
    """Return x, h, c, w_ih, w_hh, b_ih, b_hh."""
    rng, rows = np.random.default_rng(0), LAYERS[kind][0] * hidden
    shapes = [(TIMES, batch, SIZE), (batch, hidden), (batch, hidden), (rows, SIZE), (rows, hidden), (rows,), (rows,)]
    return [jnp.asarray(rng.normal(size=shape) * 0.4, dtype) for shape in shapes]


def layer(kind: str, lengths: list[int] | None, reverse: bool) -> Callable[..., Any]:
    ends = None if lengths is None else np.asarray(lengths, np.int32)
    return lambda *arrays: LAYERS[kind][1](*arrays, ends, reverse)


def loss(fn: Callable[..., Any]) -> Callable[..., Any]:
    def total(*arrays: jax.Array) -> Any:
        outs = fn(*arrays)
        return sum(
            (out * out * jnp.cos(jnp.arange(out.size, dtype=out.dtype)).reshape(out.shape)).sum() for out in outs
        )

    return total


def close(got: Any, expected: Any, tolerance: float = 1e-5) -> None:
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(float(np.abs(b).max()), 1e-3))


def test_the_kernels_are_used() -> None:
    for kind in LAYERS:
        fn = loss(layer(kind, None, False))
        text = jax.jit(jax.grad(fn, (0, 4))).lower(*operands(kind, 2, 3)).as_text()
        assert (text.count("sporax_recurrent_f32"), text.count("sporax_recurrent_gradient_f32")) == (1, 1)
        with off():
            assert "sporax_" not in jax.jit(jax.grad(fn)).lower(*operands(kind, 2, 3)).as_text()


@pytest.mark.parametrize("hidden", [3, 37])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("kind", LAYERS)
def test_values_and_gradients(kind: str, lengths: str, reverse: bool, hidden: int) -> None:
    fn = layer(kind, LENGTHS[lengths], reverse)

    @jax.jit
    def both(*arrays: jax.Array) -> Any:
        return fn(*arrays), jax.grad(loss(fn), tuple(range(7)))(*arrays)

    close(both(*operands(kind, 9, hidden)), both(*operands(kind, 9, hidden, "float64")))


@pytest.mark.parametrize("kind", LAYERS)
def test_other_derivatives(kind: str) -> None:
    """Forward mode, a Hessian's product with a vector both ways, and `vmap`."""
    fn = layer(kind, LENGTHS["lengths"], True)
    directions = operands(kind, 9, 4)[::-1]

    def all_of(*arrays: jax.Array) -> Any:
        along = tuple(jnp.resize(d, x.shape).astype(x.dtype) for d, x in zip(directions, arrays, strict=True))
        gradient = jax.grad(loss(fn), tuple(range(7)))
        twice = jax.grad(lambda *xs: sum((g * g).sum() for g in gradient(*xs)), (0, 4))(*arrays)
        return jax.jvp(fn, arrays, along), jax.jvp(gradient, arrays, along), twice

    arrays, exact = operands(kind, 9, 4), operands(kind, 9, 4, "float64")
    close(jax.jit(all_of)(*arrays), jax.jit(all_of)(*exact), 1e-4)
    several = jax.vmap(jax.grad(loss(fn), (0, 4)), in_axes=(0, *[None] * 6))
    x = jnp.stack([arrays[0], -arrays[0]])
    close(several(x, *arrays[1:]), several(x.astype("float64"), *exact[1:]))


@pytest.mark.parametrize("kind", LAYERS)
def test_a_sequence_has_the_same_bits_in_any_batch(kind: str) -> None:
    x, h, c, w_ih, w_hh, bias, _ = operands(kind, 19, 21)
    gates, number = jnp.matmul(x, w_ih.T), list(LAYERS).index(kind)

    @jax.jit
    def loop(gates: jax.Array, h: jax.Array, c: jax.Array) -> Any:
        lengths = jnp.full(len(h), TIMES, jnp.int32)
        return kernels.recurrent(gates, w_hh, bias[:21], h, c, lengths, number, False, KINDS[kind].saved)

    whole = loop(gates, h, c)
    for begin, end in ((0, 1), (3, 8), (18, 19)):
        part = loop(gates[:, begin:end], h[begin:end], c[begin:end])
        for some, all_of_them in zip(part, whole, strict=True):
            axis = some.ndim - 2
            assert np.array_equal(some, np.take(all_of_them, range(begin, end), axis))


def test_special_values() -> None:
    """NaN and infinite inputs give what XLA's loop gives; large ones saturate."""
    for kind in LAYERS:
        x, *rest = operands(kind, 4, 3)
        x = x.at[1, 0, 0].set(jnp.nan).at[2, 1, 1].set(jnp.inf).at[0, 2].set(1e4).at[0, 3].set(-1e30)
        fn = layer(kind, None, False)
        with off():
            expected = jax.jit(fn)(x, *rest)
        got = jax.jit(fn)(x, *rest)
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("batch, hidden, times", [(0, 3, 5), (2, 3, 0), (2, 3, 1)])
def test_empty_and_single(batch: int, hidden: int, times: int) -> None:
    x, *rest = operands("lstm", batch, hidden)
    outputs, h, c = layer("lstm", None, False)(x[:times], *rest)
    assert outputs.shape == (times, batch, hidden) and h.shape == c.shape == (batch, hidden)


def test_divided_among_devices() -> None:
    """XLA divides its own loop; the kernel is for arrays that are on one device."""
    program = """
import jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
import test_recurrent as t
mesh = Mesh(np.array(jax.devices()), ("d",))
arrays = t.operands("lstm", 4, 3)
fn = jax.jit(jax.grad(t.loss(t.layer("lstm", None, False)), (0, 4)))
expected = fn(*arrays)
placed = [jax.device_put(x, NamedSharding(mesh, PartitionSpec(None, "d") if x.ndim == 3 else PartitionSpec())) for x in arrays]
assert "sporax_" not in fn.lower(*placed).as_text()
t.close(fn(*placed), expected)
"""
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    variables = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
