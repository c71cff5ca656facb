"""Convolutions and poolings of `mint.nn.functional`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.core.tensor import Tensor
from sporax._src.ops import PUBLIC
from sporax._src.ops.table import internal


def _convolution(n: int) -> Any:
    row = PUBLIC[f"conv{n}d"]

    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        single = input.ndim == n + 1
        x = PUBLIC["expand_dims"](input, 0) if single else input
        if isinstance(padding, str):
            out = row(x, weight, bias, stride, padding, 0, dilation, groups)
        else:
            sides = (padding,) * n if isinstance(padding, int) else tuple(padding)
            out = row(x, weight, bias, stride, "pad", sides * n if len(sides) == 1 else sides, dilation, groups)
        return PUBLIC["squeeze"](out, 0) if single else out

    conv.__name__ = f"conv{n}d"
    conv.__doc__ = f"""Return the {n}-D convolution of the input (N, C, ...) or (C, ...) with the weights, plus the bias.

    Args:
        input, weight, bias: The Tensors; the weight has shape (out, in / groups, ...).
        stride, dilation: Steps of the kernel, and distances of its elements.
        padding: Zeros at both ends of each axis, `"valid"` or `"same"`.
        groups: The number of independent groups of channels.

    Examples:
        >>> x, weight = mint.ones((1, 2{", 4" * n})), mint.ones((3, 2{", 3" * n}))
        >>> mint.nn.functional.conv{n}d(x, weight).shape
        (1, 3{", 2" * n})
    """
    return conv


@internal("mint.avg_pool")
def _avg_pool(
    input: Array, kernel: Shape, stride: Shape, padding: Shape, ceil_mode: bool, count_pad: bool, divisor: Static
) -> Array:
    n = len(kernel)
    if input.ndim not in (n + 1, n + 2):
        raise ValueError(f"input must have {n + 1} or {n + 2} axes, got {input.ndim}.")
    ends, shown = [], []
    for size, k, s, p in zip(input.shape[-n:], kernel, stride, padding, strict=True):
        steps = (size + 2 * p - k) / s
        count = int(np.ceil(steps) if ceil_mode else np.floor(steps)) + 1
        if ceil_mode and (count - 1) * s >= size + p:
            count -= 1
        ends.append(max((count - 1) * s + k - size - p, 0))
        shown.append(p)
    lead = (1,) * (input.ndim - n)
    window, steps_ = lead + kernel, lead + stride

    def total(x: Array, pads: list[tuple[int, int]]) -> Array:
        zero = np.zeros((), x.dtype)
        return jax.lax.reduce_window(x, zero, jax.lax.add, window, steps_, [(0, 0)] * len(lead) + pads)

    pads = list(zip(shown, ends, strict=True))
    out = total(input, pads)
    if divisor is not None:
        return out / np.asarray(divisor, out.dtype)
    ones = jnp.ones(lead + input.shape[-n:], input.dtype)
    if count_pad:  # padding counts, what `ceil_mode` adds beyond it does not
        ones = jnp.pad(ones, [(0, 0)] * len(lead) + [(p, min(p, e)) for p, e in pads], constant_values=1)
        pads = [(0, max(e - p, 0)) for p, e in pads]
    return out / total(ones, pads)


def _several(value: Any, n: int) -> tuple[int, ...]:
    found = (value,) * n if isinstance(value, int) else tuple(value)
    return found * n if len(found) == 1 else found


def _average(n: int) -> Any:
    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        kernel, sides = _several(kernel_size, n), _several(padding, n)
        steps = kernel if stride is None else _several(stride, n)
        if any(2 * p > k for p, k in zip(sides, kernel, strict=True)):
            raise ValueError(
                f"mint.avg_pool{n}d: padding must be at most half of kernel_size, got {sides} and {kernel}."
            )
        if divisor_override == 0:
            raise ValueError(f"mint.avg_pool{n}d: divisor_override must not be 0.")
        return _avg_pool(input, kernel, steps, sides, ceil_mode, count_include_pad, divisor_override)

    pool.__name__ = f"avg_pool{n}d"
    pool.__doc__ = f"""Return the averages of windows of the input (N, C, ...) or (C, ...).

    Args:
        input: The values.
        kernel_size, stride, padding: Size, step (the size if None) and zeros at both ends, for each axis or all.
        ceil_mode: Whether windows may leave the input at the end.
        count_include_pad: Whether padding counts as elements.
        divisor_override: What to divide the sums by.

    Raises:
        ValueError: If the padding is more than half of the window, or the divisor is 0.

    Examples:
        >>> mint.nn.functional.avg_pool{n}d(mint.ones((1, 2{", 4" * n})), 2).shape
        (1, 2{", 2" * n})
    """
    return pool


def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the averages of windows along the last axis.

    Args:
        input: A Tensor of shape (N, C, L) or (C, L).
        kernel_size: The size of a window.
        stride: The step of the window; its size if None.
        padding: Zeros at both ends, at most half of the window.
        ceil_mode: Whether windows may leave the input at the end.
        count_include_pad: Whether padding counts as elements.

    Raises:
        ValueError: If `padding` is larger, or `input` has another number of axes.

    Examples:
        >>> mint.nn.functional.avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).asnumpy()
        array([[[2., 6.]]], dtype=float32)
    """
    return _average(1)(input, kernel_size, stride, padding, ceil_mode, count_include_pad)
