"""Arithmetic on two operands, with MindSpore's promotion."""

from __future__ import annotations

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.dtype import to_float, unify
from sporax._src.ops.table import op

_PAIR = ("T(2, 3), T(2, 3)", "T(2, 3), T(3)", "T(3), 2", "T(3), 2.5", "I(3), T(3)", "T(0, 3), T(3)")
_SHAPES = (("T(2, 3), T(4)", "ops."),)


@op(ref="numpy.add", cases=_PAIR, errors=_SHAPES, method=("add", "__add__", "__radd__"), primitive="Add()")
def add(input: Array, other: Array) -> Array:
    """Return input + other.

    Args:
        input, other: Tensors or numbers; shapes broadcast, dtypes meet.

    Examples:
        >>> ops.add(Tensor([1.0]), 2)
        Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00])
    """
    input, other = unify(input, other)
    return jnp.add(input, other)


@op(ref="numpy.subtract", cases=_PAIR, errors=_SHAPES, method=("sub", "subtract", "__sub__"), primitive="Sub()")
def sub(input: Array, other: Array) -> Array:
    """Return input - other."""
    return jnp.subtract(*unify(input, other))


@op(ref="numpy.multiply", cases=_PAIR, errors=_SHAPES, method=("mul", "multiply", "__mul__", "__rmul__"), primitive="Mul()")
def mul(input: Array, other: Array) -> Array:
    """Return input · other, element by element."""
    return jnp.multiply(*unify(input, other))


@op(ref="numpy.true_divide", cases=("T(2, 3), P(2, 3)", "P(3), 2"), errors=_SHAPES, method=("__truediv__", "true_divide"), primitive="RealDiv()")
def true_divide(dividend: Array, divisor: Array) -> Array:
    """Return dividend / divisor; integers divide as float32."""
    return jnp.true_divide(*map(to_float, unify(dividend, divisor)))


@op(ref="numpy.matmul", cases=("T(2, 3), T(3, 4)", "T(3), T(3)", "T(5, 2, 3), T(3, 4)"),
    errors=(("T(2, 3), T(2, 3)", "ops.matmul(float32[2, 3], float32[2, 3])"),), method=("matmul", "__matmul__"))  # fmt: skip
def matmul(input: Array, other: Array) -> Array:
    """Return the matrix product of the last two axes, leading axes broadcast."""
    return jnp.matmul(*unify(input, other))


@op(ref="numpy.sum", cases=("T(2, 3)", "T(2, 3), axis=1", "T(2, 3), axis=(0, 1), keepdims=True"), method=("sum",), name="sum")
def sum_(input: Array, dim=None, keepdim=False, *, dtype=None) -> Array:
    """Return the sum over axes."""
    return jnp.sum(input, axis=dim, keepdims=keepdim)
