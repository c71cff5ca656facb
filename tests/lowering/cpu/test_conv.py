"""Convolutions in all the forms in which they are lowered for the CPU: values and gradients are those of sums written out."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from convolutions import CASES, NCHW, NONE, arrays, convolve
from jax import lax

import sporax as ms
from sporax import ops

Fn = Callable[[tuple[Any, ...], Any, Any], Any]


def written_out(case: tuple[Any, ...], x: Any, w: Any) -> Any:
    groups, *_, kernel, strides, pads, lhs, rhs, order = case
    numbers = lax.conv_dimension_numbers(x.shape, w.shape, order)
    x, w = jnp.transpose(x, numbers.lhs_spec), jnp.transpose(w, numbers.rhs_spec)
    x = lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0)] * 2 + [(*p, d - 1) for p, d in zip(pads, lhs, strict=True)])
    sums: Any = 0
    for at in np.ndindex(*kernel):
        window = tuple(
            slice(i * hole, n - (k - 1 - i) * hole, step)
            for i, hole, n, k, step in zip(at, rhs, x.shape[2:], kernel, strides, strict=True)
        )
        met = x[(slice(None), slice(None), *window)]
        met = met.reshape(len(x), groups, -1, *met.shape[2:])
        weights = w[(slice(None), slice(None), *at)].reshape(groups, -1, w.shape[1])
        found = jnp.einsum("ngc...,goc->ngo...", met, weights)
        sums += found.reshape(len(x), -1, *found.shape[3:])
    return jnp.transpose(sums, np.argsort(numbers.out_spec).tolist())


def with_gradients(fn: Fn, case: tuple[Any, ...], dtype: str = "float32") -> list[np.ndarray]:
    def run(x: Any, w: Any) -> tuple[Any, ...]:
        out, back = jax.vjp(lambda x, w: fn(case, x, w), x, w)
        return (out, *back(jnp.cos(jnp.arange(out.size, dtype=out.dtype)).reshape(out.shape)))

    return [np.asarray(a) for a in jax.jit(run)(*arrays(case, dtype))]


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name: str) -> None:
    for got, expected in zip(
        with_gradients(convolve, CASES[name]), with_gradients(written_out, CASES[name]), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", [name for name, (groups, *_) in CASES.items() if groups == 1])
def test_values_and_gradients_of_wide_numbers(name: str, dtype: str) -> None:
    results = [with_gradients(fn, CASES[name], dtype) for fn in (convolve, written_out)]
    for got, expected in zip(*results, strict=True):
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13 * np.abs(expected).max())


@pytest.mark.of_cpus("cuDNN adds up halves in its own way")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_added_up_as_floats(dtype: str) -> None:
    case = (4, 1, 1, (16, 2), (16, 2), (1, 1), NONE, (1, 1), (1, 1), NCHW)
    x, w = arrays(case, dtype)
    got = jax.jit(lambda x, w: convolve(case, x, w))(x, w)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, written_out(case, x.astype(jnp.float32), w.astype(jnp.float32)).astype(dtype))


def test_empty_images_stay_with_xla() -> None:
    assert ops.conv2d(ms.Tensor(np.zeros((0, 4, 5, 5), np.float32)), ops.ones((4, 1, 2, 2)), groups=4).shape == (
        0,
        4,
        4,
        4,
    )


def test_derivatives_of_derivatives_and_batches_of_kernels() -> None:
    case = CASES["a channel in each group"]
    x, w = arrays(case)

    def twice(fn: Fn) -> Any:
        slope = jax.grad(lambda w: jnp.sum(jnp.sin(fn(case, x, w))))
        return jax.jit(jax.grad(lambda w: jnp.sum(jnp.square(slope(w)))))(w)

    np.testing.assert_allclose(twice(convolve), twice(written_out), rtol=1e-4, atol=1e-4)
    kernels = jnp.stack([w, 2 * w, w - 1])
    got = jax.jit(jax.vmap(lambda w: convolve(case, x, w)))(kernels)
    np.testing.assert_allclose(got, jnp.stack([written_out(case, x, k) for k in kernels]), rtol=1e-5, atol=1e-5)
