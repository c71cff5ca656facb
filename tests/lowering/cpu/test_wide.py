"""Convolutions of float64: XLA gets products of matrices, and long sums of them are loops."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from convolutions import NCHW, NONE, convolve
from jax import lax

LONG = (1, 40, 2, (13, 12), (5, 4), (1, 1), NONE, (1, 1), (1, 1), NCHW)  # 20 elements of 40 channels: no two are joined


@pytest.mark.of_cpus("convolutions are lowered so for CPUs")
def test_xla_gets_no_convolution_and_long_sums_are_loops() -> None:
    x, w = jnp.ones((2, 40, 13, 12), jnp.float64), jnp.ones((2, 40, 5, 4), jnp.float64)
    step = jax.jit(jax.value_and_grad(lambda x, w: jnp.square(convolve(LONG, x, w)).sum(), (0, 1)))
    text = step.lower(x, w).as_text()
    assert "stablehlo.convolution" not in text
    assert (
        text.count("stablehlo.while") == 2
    )  # the sum, and the products of the kernel's gradient; the image's joins elements


@pytest.mark.parametrize("sizes", [(13, 12), (5, 4), (9, 8)])
def test_long_sums(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 40, *sizes)), rng.normal(size=(2, 40, 5, 4))
    windows = np.lib.stride_tricks.sliding_window_view(x, (5, 4), (2, 3))
    expected = np.einsum("nchwij,ocij->nohw", windows, w)
    got = jax.jit(lambda x, w: lax.conv_general_dilated(x, w, (1, 1), NONE))(x, w)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
