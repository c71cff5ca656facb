"""Convolutions in all the forms in which they are lowered for the CPU: values and gradients are those of sums written out."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from convolutions import CASES, NCHW, NONE, Fn, arrays, convolve, with_gradients, written_out

import sporax as ms
from sporax import ops


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
