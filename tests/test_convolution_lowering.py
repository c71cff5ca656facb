"""Convolutions in all the forms in which they are lowered for the CPU: values and gradients are those of sums written out."""

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import sporax as ms
from sporax import ops

NCW, NWC = ("NCW", "OIW", "NCW"), ("NWC", "WIO", "NWC")
NCHW, NHWC, MIXED = ("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC"), ("CNHW", "OIHW", "HWNC")
NCDHW, NDHWC = ("NCDHW", "OIDHW", "NCDHW"), ("NDHWC", "DHWIO", "NDHWC")
NONE = ((0, 0), (0, 0))
# Groups, channels of the image and of the result in each, sizes, kernel, strides, padding, lhs_dilation, rhs_dilation, order.
CASES: dict[str, tuple[Any, ...]] = {
    "a channel in each group": (6, 1, 1, (5, 6), (3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1), (1, 1), NCHW),
    "channels last, strides, holes": (6, 1, 1, (7, 6), (2, 3), (2, 1), ((1, 0), (2, 2)), (1, 1), (2, 2), NHWC),
    "two kernels of a channel": (4, 1, 2, (5, 5), (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1), (1, 1), NCHW),
    "a long kernel of a channel": (2, 1, 1, (10, 10), (9, 9), (1, 1), NONE, (1, 1), (1, 1), NCHW),
    "long kernels, strides, holes": (3, 1, 2, (11, 9), (5, 4), (2, 1), ((1, 2), (3, -1)), (1, 1), (2, 1), NHWC),
    "a long kernel, transposed": (2, 1, 1, (4, 3), (5, 4), (1, 2), ((2, 1), (3, 3)), (2, 3), (1, 1), MIXED),
    "a long kernel, one axis": (3, 1, 1, (24,), (19,), (1,), ((9, 9),), (1,), (1,), NCW),
    "a long kernel, three axes": (2, 1, 1, (4, 4, 3), (3, 3, 2), (1, 2, 1), ((1, 1), (1, 0), (1, 0)), (1, 1, 1), (1, 1, 1), NDHWC),
    "transposed": (4, 1, 1, (4, 3), (3, 3), (1, 1), ((2, 1), (2, 1)), (2, 2), (1, 1), MIXED),
    "one axis, in blocks": (2, 3, 1, (7,), (3,), (2,), ((1, 1),), (1,), (1,), NCW),
    "two axes, in blocks": (6, 3, 2, (5, 4), (2, 2), (1, 2), ((1, 0), (0, 1)), (1, 1), (2, 1), NHWC),
    "three axes, in blocks": (3, 2, 2, (3, 4, 3), (2, 1, 2), (1, 1, 1), ((0, 0), (1, 0), (0, 1)), (1, 2, 1), (1, 1, 1), NCDHW),
    "many groups": (40, 8, 1, (4, 3), (2, 3), (1, 1), ((1, 0), (1, 1)), (1, 1), (1, 1), NCHW),
    "many groups, transposed": (40, 8, 2, (3, 3), (2, 2), (2, 1), ((1, 0), (1, 1)), (1, 2), (1, 2), MIXED),
    "many groups, one axis": (40, 8, 1, (5,), (2,), (2,), ((0, 1),), (1,), (1,), NWC),
    "many groups, three axes": (40, 8, 2, (3, 2, 2), (2, 1, 2), (1, 2, 1), ((1, 0), (0, 0), (1, 1)), (1, 1, 1), (1, 1, 1), NCDHW),
    "cropped": (4, 2, 1, (6, 5), (1, 2), (1, 1), ((-2, 1), (1, -1)), (1, 1), (1, 1), NCHW),
    "cropped, one group": (1, 4, 12, (8, 5), (1, 2), (1, 1), ((-2, 1), (0, 0)), (1, 1), (1, 1), NCHW),
    "gaps": (1, 4, 3, (4, 3), (4, 3), (1, 1), ((2, 1), (1, 2)), (2, 3), (1, 1), NCHW),
    "gaps, channels last": (1, 4, 3, (3, 5), (3, 2), (1, 1), ((1, 1), (0, 3)), (2, 2), (1, 1), NHWC),
    "gaps that no element of the kernel meets": (1, 2, 3, (4, 3), (1, 2), (1, 1), ((1, 0), (0, 0)), (3, 2), (1, 1), MIXED),
    "gaps and a long kernel": (1, 2, 3, (4, 3), (6, 7), (1, 1), ((0, 1), (1, 2)), (2, 2), (1, 1), NHWC),
    "gaps, a long kernel and strides": (1, 2, 3, (5, 4), (6, 5), (2, 1), ((1, 1), (0, -1)), (2, 2), (1, 1), MIXED),
    "gaps that are cropped": (1, 2, 3, (5, 4), (2, 2), (1, 1), ((-3, 1), (1, -2)), (2, 2), (1, 1), NCHW),
    "gaps, one axis": (1, 3, 2, (4,), (5,), (1,), ((3, 2),), (2,), (1,), NWC),
    "kernels as long as the gaps": (1, 3, 4, (3, 2), (3, 4), (1, 1), ((2, 2), (1, 1)), (3, 2), (1, 1), NCHW),
    "kernels twice the gaps, channels last": (1, 3, 4, (3, 2), (4, 5), (1, 1), ((3, 0), (4, 4)), (2, 5), (1, 1), NHWC),
    "kernels as long as the gaps, turned": (1, 3, 4, (3, 4), (3, 4), (1, 1), ((2, 1), (1, -1)), (3, 2), (1, 1), MIXED),
    "strides as long as kernels": (1, 3, 4, (9, 11), (3, 5), (3, 5), ((0, 0), (0, 0)), (1, 1), (1, 1), NHWC),
    "many phases": (1, 2, 2, (3, 2), (5, 5), (1, 1), ((4, 4), (4, 4)), (5, 4), (1, 1), NCHW),
    "strides": (1, 3, 4, (7, 6), (3, 2), (2, 3), ((1, 1), (1, 0)), (1, 1), (1, 1), NHWC),
    "three axes": (1, 2, 3, (4, 3, 2), (2, 3, 1), (1, 2, 1), ((1, 1), (1, 0), (0, 0)), (1, 1, 1), (2, 1, 1), NCDHW),
    "three axes, channels last": (1, 2, 3, (5, 4, 3), (3, 2, 2), (2, 1, 1), ((1, 0), (0, 1), (1, 1)), (1, 1, 1), (1, 2, 1), NDHWC),
    "three axes, a long kernel": (1, 2, 3, (5, 4, 3), (4, 3, 2), (1, 1, 1), ((0, 0), (1, 1), (1, 1)), (1, 1, 1), (1, 1, 1), NCDHW),
    "three axes with gaps": (1, 2, 2, (2, 3, 2), (3, 2, 3), (1, 1, 1), ((1, 1), (1, 1), (2, 0)), (2, 1, 2), (1, 1, 1), NDHWC),
    "kernels as wide as the image": (1, 2, 3, (5, 6), (3, 6), (1, 1), ((1, 0), (0, 0)), (1, 1), (1, 1), NCHW),
    "kernels as large as the image, channels last": (1, 2, 3, (3, 4), (3, 4), (1, 1), NONE, (1, 1), (1, 1), NHWC),
    "an image of one element, strides, holes": (1, 2, 3, (4, 1), (3, 3), (1, 2), ((1, 1), (3, 6)), (1, 1), (1, 2), MIXED),
    "an image of one element, cropped": (1, 2, 3, (1, 1), (4, 5), (1, 1), ((2, 1), (5, 3)), (2, 1), (1, 1), NCHW),
    "an image of one element, one axis": (1, 2, 3, (1,), (4,), (1,), ((3, 3),), (2,), (1,), NWC),
    "one element, three axes": (1, 2, 2, (1, 3, 1), (2, 2, 3), (1, 1, 1), ((1, 1), (0, 0), (2, 2)), (1, 1, 1), (1, 1, 1), NCDHW),
}  # fmt: skip
Fn = Callable[[tuple[Any, ...], Any, Any], Any]


def arrays(case: tuple[Any, ...], dtype: str = "float32") -> tuple[jax.Array, jax.Array]:
    groups, channels, out, sizes, kernel, *_, order = case
    rng = np.random.default_rng(0)
    axes = [a for a in order[0] if a not in "NC"]
    lengths = {"N": 2, "C": groups * channels, **dict(zip(axes, sizes, strict=True))}
    of_kernel = {"O": groups * out, "I": channels, **dict(zip(axes, kernel, strict=True))}
    shapes = [lengths[a] for a in order[0]], [of_kernel[a] for a in order[1]]
    return jnp.asarray(rng.standard_normal(shapes[0]), dtype), jnp.asarray(rng.standard_normal(shapes[1]), dtype)


def convolve(case: tuple[Any, ...], x: Any, w: Any) -> Any:
    *_, strides, pads, lhs, rhs, order = case
    return lax.conv_general_dilated(x, w, strides, pads, lhs, rhs, order, feature_group_count=case[0])


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


def with_gradients(fn: Fn, case: tuple[Any, ...]) -> list[np.ndarray]:
    def run(x: Any, w: Any) -> tuple[Any, ...]:
        out, back = jax.vjp(lambda x, w: fn(case, x, w), x, w)
        return (out, *back(jnp.cos(jnp.arange(out.size, dtype=out.dtype)).reshape(out.shape)))

    return [np.asarray(a) for a in jax.jit(run)(*arrays(case))]


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name: str) -> None:
    for got, expected in zip(
        with_gradients(convolve, CASES[name]), with_gradients(written_out, CASES[name]), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.of_cpus("cuDNN adds up halves in its own way")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_added_up_as_floats(dtype: str) -> None:
    case = (4, 1, 1, (16, 2), (16, 2), (1, 1), NONE, (1, 1), (1, 1), NCHW)
    x, w = arrays(case, dtype)
    got = jax.jit(lambda x, w: convolve(case, x, w))(x, w)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, written_out(case, x.astype(jnp.float32), w.astype(jnp.float32)).astype(dtype))


@pytest.mark.of_cpus("convolutions are lowered so for CPUs")
def test_long_sums_are_loops_that_keep_no_moved_images() -> None:
    case = CASES["a long kernel of a channel"]
    gradients = jax.jit(jax.grad(lambda x, w: jnp.square(convolve(case, x, w)).sum(), (0, 1)))
    text = gradients.lower(*arrays(case)).as_text()
    assert text.count("stablehlo.while") == 3
    assert not re.search(r"tensor<8[01]x2x2x2x2xf32>", text)


def test_empty_images_stay_with_xla() -> None:
    assert ops.conv2d(ms.Tensor(np.zeros((0, 4, 5, 5), np.float32)), ops.ones((4, 1, 2, 2)), groups=4).shape == (
        0,
        4,
        4,
        4,
    )


@pytest.mark.of_cpus("convolutions are lowered so for CPUs")
def test_what_is_captured_has_groups_and_what_xla_gets_has_none() -> None:
    case = CASES["two axes, in blocks"]
    step = jax.jit(jax.grad(lambda x, w: convolve(case, x, w).sum(), (0, 1)))
    assert "feature_group_count=6" in str(step.trace(*arrays(case)).jaxpr)
    lowered = step.lower(*arrays(case)).as_text()
    assert "stablehlo.convolution" in lowered
    assert "group_count = 6" not in lowered


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
