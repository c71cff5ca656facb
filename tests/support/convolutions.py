"""Convolutions in all the forms in which they are lowered for the CPU."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Fn = Callable[[tuple[Any, ...], Any, Any], Any]

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


def with_gradients(fn: Fn, case: tuple[Any, ...], dtype: str = "float32") -> list[np.ndarray]:
    def run(x: Any, w: Any) -> tuple[Any, ...]:
        out, back = jax.vjp(lambda x, w: fn(case, x, w), x, w)
        return (out, *back(jnp.cos(jnp.arange(out.size, dtype=out.dtype)).reshape(out.shape)))

    return [np.asarray(a) for a in jax.jit(run)(*arrays(case, dtype))]
