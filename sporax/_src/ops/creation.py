"""Operators that make Tensors from sizes and numbers: zeros, ones, full, arange, linspace, logspace, ..."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, internal, op


def _dtype(dtype: Any, default: Any = np.float32) -> np.dtype:
    return np.dtype(default) if dtype is None else mstype.to_numpy(dtype)


# --- constants ------------------------------------------------------------------------------------------------------


@op(
    ref="sporax._src.testing.array_references.zeros",
    cases=("(2, 3)", "2, ms.int32", "()", "(0, 3)"),
    errors=(("(-1,)", "negative"), ("1.5", "int")),
)
def zeros(size: Shape, dtype: Static = None) -> Array:
    """Return a Tensor of zeros; float32 unless `dtype` says otherwise.

    Args:
        size: The shape, an int or a tuple of ints.
        dtype: The dtype.

    Raises:
        TypeError: If `size` holds something else.
        ValueError: If a size is negative.

    Examples:
        >>> ops.zeros((2,), ms.int32).asnumpy()
        array([0, 0], dtype=int32)
    """
    return jnp.zeros(axes.fixed_sizes(size, "size"), _dtype(dtype))


@op(
    ref="sporax._src.testing.array_references.ones",
    cases=("(2, 3)", "2, ms.int32", "()"),
    errors=(("(-1,)", "negative"),),
)
def ones(shape: Shape, dtype: Static = None) -> Array:
    """Return a Tensor of ones; float32 unless `dtype` says otherwise.

    Args:
        shape: The shape, an int or a tuple of ints.
        dtype: The dtype.

    Raises:
        TypeError: If `shape` holds something else.
        ValueError: If a size is negative.

    Examples:
        >>> ops.ones((2,), ms.int32).asnumpy()
        array([1, 1], dtype=int32)
    """
    return jnp.ones(axes.fixed_sizes(shape), _dtype(dtype))


@op(
    ref="sporax._src.testing.array_references.full",
    cases=("(2, 3), 7", "(2,), 1.5, dtype=ms.float32", "2, True, dtype=ms.bool_"),
    errors=(("(-1,), 0", "negative"),),
    grad=0,
)
def full(size: Shape, fill_value: Array, *, dtype: Static = None) -> Array:
    """Return a Tensor of one value; int64 unless `dtype` says otherwise (MindSpore's default, for floats too).

    Args:
        size: The shape, an int or a tuple of ints.
        fill_value: A number or a 0-d Tensor.
        dtype: The dtype.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.full((2,), 1.5).asnumpy(), ops.full((2,), 1.5, dtype=ms.float32).asnumpy()
        (array([1, 1]), array([1.5, 1.5], dtype=float32))
    """
    return jnp.broadcast_to(jnp.asarray(fill_value).astype(_dtype(dtype, np.int64)), axes.fixed_sizes(size, "size"))


@op(
    ref="sporax._src.testing.array_references.fill",
    cases=("ms.float32, (2, 3), 7", "ms.int32, (2,), 1.5"),
    errors=(("'x', (2, 3), 7", "expected a dtype such as mindspore.float32"),),
    grad=0,
    primitive="Fill()",
)
def fill(type: Static, shape: Shape, value: Array) -> Array:
    """Return a Tensor of the given dtype and shape filled with one value.

    Args:
        type: The dtype.
        shape: The shape, an int or a tuple of ints.
        value: A number or a 0-d Tensor.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.fill(ms.float32, (2,), 7).asnumpy()
        array([7., 7.], dtype=float32)
    """
    return full.raw(shape, value, dtype=type)


@primitive("FillV2()")
def _fill_v2(shape: Any, value: Tensor) -> Tensor:
    """Return a Tensor of the given shape filled with one value."""
    return full(shape, value, dtype=value.dtype)


@op(
    ref="numpy.full_like",
    cases=("T(2, 3), 7.5", "I(3), 2"),
    errors=(("None, 7.5", "operands must be Tensors or numbers"),),
    grad=0,
    method="fills",
    primitive="Fills()",
)
def fills(x: Array, value: Array) -> Array:
    """Return a Tensor of the shape and dtype of x filled with one value.

    Args:
        x: A Tensor.
        value: A number or a 0-d Tensor.

    Examples:
        >>> ops.fills(Tensor([1.0, 2.0]), 7).asnumpy()
        array([7., 7.], dtype=float32)
    """
    return jnp.broadcast_to(jnp.asarray(value).astype(x.dtype), x.shape)


@op(
    ref="sporax._src.testing.array_references.full_like",
    cases=("T(2, 3), 7.5", "I(3), 2", "I(3), 1.5, dtype=ms.float32"),
    errors=(("None, 7.5", "operands must be Tensors or numbers"),),
    grad=0,
)
def full_like(input: Array, fill_value: Array, *, dtype: Static = None) -> Array:
    """Return a Tensor of the input's shape filled with one value.

    Args:
        input: A Tensor.
        fill_value: A number or a 0-d Tensor.
        dtype: The dtype; None: that of the input.

    Examples:
        >>> ops.full_like(Tensor([1.0, 2.0]), 7).asnumpy()
        array([7., 7.], dtype=float32)
    """
    return jnp.broadcast_to(jnp.asarray(fill_value).astype(_dtype(dtype, input.dtype)), input.shape)


@op(
    ref="sporax._src.testing.array_references.zeros_like",
    cases=("T(2, 3)", "I(3)", "T(2), dtype=ms.int32"),
    errors=(("None", "operands must be Tensors or numbers"),),
    grad=0,
    primitive="ZerosLike()",
)
def zeros_like(input: Array, *, dtype: Static = None) -> Array:
    """Return a Tensor of zeros of the input's shape and, unless given, dtype.

    Args:
        input: A Tensor.
        dtype: The dtype; None: that of the input.

    Examples:
        >>> ops.zeros_like(Tensor([1, 2])).asnumpy()
        array([0, 0])
    """
    return jnp.zeros(jnp.shape(input), _dtype(dtype, input.dtype))


@op(
    ref="sporax._src.testing.array_references.ones_like",
    cases=("T(2, 3)", "I(3)", "T(2), dtype=ms.int32"),
    errors=(("None", "operands must be Tensors or numbers"),),
    grad=0,
    primitive="OnesLike()",
)
def ones_like(input: Array, *, dtype: Static = None) -> Array:
    """Return a Tensor of ones of the input's shape and, unless given, dtype.

    Args:
        input: A Tensor.
        dtype: The dtype; None: that of the input.

    Examples:
        >>> ops.ones_like(Tensor([1, 2])).asnumpy()
        array([1, 1])
    """
    return jnp.ones(jnp.shape(input), _dtype(dtype, input.dtype))


@primitive("Zeros()")
def _zeros(shape: Any, type: Any = None) -> Tensor:
    """Return a Tensor of zeros."""
    return zeros(shape, type)


@primitive("Ones()")
def _ones(shape: Any, type: Any = None) -> Tensor:
    """Return a Tensor of ones."""
    return ones(shape, type)


# --- sequences of numbers -------------------------------------------------------------------------------------------


def _number(value: Any, name: str) -> Any:
    if isinstance(value, (Tensor, np.generic)):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be an int or a float, got {type(value).__name__}: {value!r}.")
    return value


@internal("arange")
def _arange(start: Array, step: Array, count: Static, dtype: Static) -> Array:
    place = jax.lax.iota(np.int64, count)
    if jnp.result_type(start).kind == "f" or jnp.result_type(step).kind == "f":
        return (jnp.float64(start) + place.astype(np.float64) * jnp.float64(step)).astype(dtype)
    return (jnp.int64(start) + place * jnp.int64(step)).astype(dtype)


def _steps(name: str, start: Any, end: Any, step: Any, dtype: Any) -> Tensor:
    start, end, step = (_number(v, n) for v, n in ((start, "start"), (end, "end"), (step, "step")))
    if step == 0:
        raise ValueError(f"ops.{name}: step must not be 0.")
    if (end - start) * step < 0:
        raise ValueError(f"ops.{name}: steps of {step} do not lead from {start} to {end}.")
    whole = all(isinstance(v, int) for v in (start, end, step))
    count = max(-(-(end - start) // step) if whole else math.ceil((end - start) / step), 0)
    return _arange(start, step, count, _dtype(dtype, np.int64 if whole else np.float32))


@composite(
    ref="numpy.arange",
    cases=("3", "1, 5, 2", "0, 1, 0.25", "5, 0, -2"),
    errors=(("0, 3, 0", "step"), ("'a'", "end"), ("10, 1", "do not lead")),
)
def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Tensor:
    """Return the numbers from `start` up to, not including, `end` in steps of `step`.

    Args:
        start, end, step: Numbers; with one number it is `end`, and `start` is 0.
        dtype: The dtype; int64 if all numbers are integers, else float32.

    Raises:
        TypeError: If one is no number.
        ValueError: If `step` is 0, or leads away from `end`.

    Examples:
        >>> ops.arange(3).asnumpy()
        array([0, 1, 2])
    """
    return _steps("arange", 0, start, step, dtype) if end is None else _steps("arange", start, end, step, dtype)


@composite(
    name="range",
    ref="sporax._src.testing.array_references.arange",
    cases=("0, 4, 1", "5, 0, -2"),
    errors=(("0, 3, 0", "step"),),
    primitive="Range(maxlen=1000000)",
    aliases="tensor_range",
)
def range_(start: Any, end: Any, step: Any = 1, maxlen: int = 1000000) -> Tensor:
    """Return the numbers from `start` up to, not including, `end` in steps of `step`; `maxlen` has no effect.

    Args:
        start, end, step: Numbers.
        maxlen: Accepted for MindSpore programs.

    Returns:
        A Tensor, int64 if all numbers are integers, else float32.

    Raises:
        TypeError: If one is no number.
        ValueError: If `step` is 0, or leads away from `end`.

    Examples:
        >>> ops.range(1, 6, 2).asnumpy()
        array([1, 3, 5])
    """
    return _steps("range", start, end, step, None)


@op(
    ref="sporax._src.testing.array_references.linspace",
    cases=("0, 1, 5", "2.0, -3.0, 4", "0, 1, 1"),
    errors=(("0, 1, 0", "steps"),),
    primitive="LinSpace()",
)
def linspace(start: Array, end: Array, steps: Static) -> Array:
    """Return `steps` numbers at equal distances from `start` to `end`, both included.

    Args:
        start, end: Numbers or 0-d Tensors.
        steps: How many.

    Returns:
        A Tensor (steps,), float32, or float64 if `start` or `end` is a float64 Tensor.

    Raises:
        ValueError: If `steps` is not a positive int.

    Examples:
        >>> ops.linspace(0, 1, 5).asnumpy()
        array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise ValueError(f"steps must be a positive int, got {steps!r}.")
    dtype = next(
        (x.dtype for x in (start, end) if hasattr(x, "dtype") and x.dtype == np.float64 and not x.aval.weak_type),
        np.float32,
    )
    return jnp.linspace(jnp.asarray(start).astype(dtype), jnp.asarray(end).astype(dtype), steps, dtype=dtype)


@op(
    ref="sporax._src.testing.array_references.logspace",
    cases=("0.0, 1.0, 3", "D(0.0), D(2.0), 3, 2"),
    errors=(("0.0, 1.0, -1", "steps"),),
    grad=0,
    tol=1e-5,
)
def logspace(start: Array, end: Array, steps: Static, base: int = 10, *, dtype: Static = mstype.float32) -> Array:
    """Return base**x for `steps` numbers x at equal distances from `start` to `end`.

    Args:
        start, end: The first and the last x, numbers or 0-d Tensors.
        steps: How many.
        base: The base.
        dtype: The dtype of the result.

    Raises:
        ValueError: If `steps` is negative or no int.

    Examples:
        >>> ops.logspace(0.0, 2.0, 3).asnumpy()
        array([  1.,  10., 100.], dtype=float32)
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
        raise ValueError(f"steps must be a non-negative int, got {steps!r}.")
    powers = jnp.linspace(
        jnp.asarray(start).astype(np.float64), jnp.asarray(end).astype(np.float64), steps, dtype=np.float64
    )
    return jnp.power(np.float64(base), powers).astype(mstype.to_numpy(dtype))


@primitive("LogSpace(steps=10, base=10, dtype=None)")
def _logspace(start: Tensor, end: Tensor, steps: int, base: int, dtype: Any) -> Tensor:
    """Return base**x for `steps` numbers x at equal distances from `start` to `end`."""
    return logspace(start, end, steps, base, dtype=dtype or mstype.float32)
