"""Products of matrices and vectors: matmul, bmm, mv, dot, outer, matrix_power, ..."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.checks import is_number
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import internal, op

REF = "sporax._src.testing.linalg_references."


def _ranks(name: str, x: Array, ndim: int) -> Array:
    _check_tensors(**{name: x})
    if x.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, got {x.ndim}.")
    return x


def _check_tensors(**operands: Any) -> None:
    for name, x in operands.items():
        if is_number(x):
            raise TypeError(f"{name} must be a Tensor, got a number.")


def flat_product(x: Array, w: Array) -> Array:
    """Return x · w; the leading axes of x become one when w is a matrix.

    The gradient of w then contracts a single axis, which XLA's CPU backend hands to its fast matrix product; over two
    axes it runs a plain loop (a GPT's training step took 2.1 times as long).
    """
    if w.ndim == 2 and x.ndim > 2 and x.size:
        return jnp.matmul(x.reshape(-1, x.shape[-1]), w).reshape(*x.shape[:-1], w.shape[-1])
    return jnp.matmul(x, w)


# --- matrices -------------------------------------------------------------------------------------------------------


@op(
    ref="numpy.matmul",
    cases=("T(2, 3), T(3, 4)", "T(3), T(3)", "T(5, 2, 3), T(3, 4)", "T(3), T(3, 2)", "T(2, 0), T(0, 3)"),
    errors=(("T(2, 3), T(2, 3)", "ops.matmul(float32[2, 3], float32[2, 3])"), ("T(), T(2)", "at least 1 axis")),
    method=("matmul", "__matmul__"),
)
def matmul(input: Array, other: Array) -> Array:
    """Return the matrix product of the last two axes; leading axes broadcast, vectors are rows or columns.

    Args:
        input: A Tensor of shape (..., M, K) or (K,).
        other: A Tensor of shape (..., K, N) or (K,).

    Examples:
        >>> ops.matmul(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])).asnumpy()
        array([[11.]], dtype=float32)
    """
    _check_tensors(input=input, other=other)
    if not jnp.ndim(input) or not jnp.ndim(other):
        raise ValueError("operands must have at least 1 axis, got a scalar.")
    inner = other.shape[-2] if other.ndim > 1 else other.shape[0]
    if input.shape[-1] != inner:
        raise ValueError(
            f"the last axis of input and the second-to-last of other must agree, got {input.shape[-1]} and {inner}."
        )
    return flat_product(*unify(input, other))


@internal("MatMul")
def _transposed_product(x: Array, y: Array, transpose_a: Static, transpose_b: Static) -> Array:
    x = jnp.swapaxes(x, -1, -2) if transpose_a else x
    return matmul.raw(x, jnp.swapaxes(y, -1, -2) if transpose_b else y)


@primitive("MatMul(transpose_a=False, transpose_b=False)", "BatchMatMul(transpose_a=False, transpose_b=False)")
def _matmul(input: Tensor, mat2: Tensor, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """Return the product of matrices, each transposed first if asked for; leading axes broadcast.

    Args:
        input: A Tensor (..., M, K), or (..., K, M) with `transpose_a`.
        mat2: A Tensor (..., K, N), or (..., N, K) with `transpose_b`.
        transpose_a, transpose_b: Whether to exchange the last two axes first.

    Raises:
        ValueError: If the sizes K differ or the leading axes do not broadcast.

    Examples:
        >>> ops.MatMul(transpose_b=True)(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])).asnumpy()
        array([[11.]], dtype=float32)
    """
    return (
        _transposed_product(input, mat2, transpose_a, transpose_b)
        if transpose_a or transpose_b
        else matmul(input, mat2)
    )


@op(ref="numpy.matmul", cases=("T(5, 2, 3), T(5, 3, 4)",), errors=(("T(5, 2, 3), T(5, 2, 3)", "agree"),), method="bmm")
def bmm(input_x: Array, mat2: Array) -> Array:
    """Return the products of two batches of matrices, (..., M, K) by (..., K, N).

    Args:
        input_x: A Tensor of shape (..., M, K).
        mat2: A Tensor of shape (..., K, N).

    Returns:
        A Tensor of shape (..., M, N).

    Raises:
        ValueError: If the sizes K differ or the leading axes do not broadcast.

    Examples:
        >>> ops.bmm(ops.ones((2, 1, 3)), ops.ones((2, 3, 4))).shape
        (2, 1, 4)
    """
    return matmul.raw(input_x, mat2)


@op(ref="numpy.matmul", cases=("T(2, 3), T(3, 4)",), errors=(("T(2, 3), T(3)", "mat2"),), method="mm")
def mm(input: Array, mat2: Array) -> Array:
    """Return the product of two matrices, Σ input[i, k] · mat2[k, j] over k.

    Args:
        input: A Tensor of shape (M, K).
        mat2: A Tensor of shape (K, N).

    Raises:
        ValueError: If an operand is no matrix or the sizes K differ.

    Examples:
        >>> ops.mm(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])).asnumpy()
        array([[11.]], dtype=float32)
    """
    return matmul.raw(_ranks("input", input, 2), _ranks("mat2", mat2, 2))


@op(ref="numpy.matmul", cases=("T(2, 3), T(3)",), errors=(("T(2, 3), T(3, 1)", "vec"),), primitive=())
def mv(mat: Array, vec: Array) -> Array:
    """Return the product of a matrix and a vector, Σ mat[i, k] · vec[k] over k.

    Args:
        mat: A Tensor of shape (M, K).
        vec: A Tensor of shape (K,).

    Raises:
        ValueError: If the number of axes is another or the sizes K differ.

    Examples:
        >>> ops.mv(Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])).asnumpy()
        array([11.], dtype=float32)
    """
    return matmul.raw(_ranks("mat", mat, 2), _ranks("vec", vec, 1))


@op(
    ref="numpy.dot",
    cases=("T(2, 3), T(3, 4)", "T(2, 3), T(4, 3, 2)", "T(3), T(3)"),
    errors=(("T(2, 3), T(2, 3)", "agree"),),
    method="dot",
)
def dot(input: Array, other: Array) -> Array:
    """Return the sums of products over the last axis of input and the second-to-last (of a vector: only) of other.

    Args:
        input: A Tensor of shape (..., K).
        other: A Tensor of shape (..., K, N) or (K,).

    Returns:
        A Tensor with the remaining axes of input, then those of other.

    Raises:
        ValueError: If the sizes K differ.

    Examples:
        >>> ops.dot(ops.ones((2, 3)), ops.ones((4, 3, 5))).shape
        (2, 4, 5)
    """
    inner = other.shape[-2] if other.ndim > 1 else other.shape[-1]
    if input.shape[-1] != inner:
        raise ValueError(
            f"the last axis of input and the second-to-last of other must agree, got {input.shape[-1]} and {inner}."
        )
    return jnp.dot(*unify(input, other))


# --- vectors --------------------------------------------------------------------------------------------------------


@op(ref="numpy.outer", cases=("T(2), T(3)", "I(2), T(3)"), errors=(("T(2, 2), T(2)", "input"),), method="outer")
def outer(input: Array, vec2: Array) -> Array:
    """Return the matrix input[i]·vec2[j] of two vectors.

    Args:
        input: A Tensor of shape (N,).
        vec2: A Tensor of shape (M,).

    Raises:
        ValueError: If an operand is no vector.

    Examples:
        >>> ops.outer(Tensor([1, 2]), Tensor([3, 4])).asnumpy()
        array([[3, 4],
               [6, 8]])
    """
    return jnp.outer(*unify(_ranks("input", input, 1), _ranks("vec2", vec2, 1)))


@op(
    ref="numpy.outer",
    cases=("T(2), T(3)",),
    errors=(("T(2), T(7, 11)", "vec2 must have 1 axes"),),
    method="ger",
    primitive="Ger()",
)
def ger(input: Array, vec2: Array) -> Array:
    """Return the matrix input[i]·vec2[j] of two vectors.

    Args:
        input: A Tensor of shape (N,).
        vec2: A Tensor of shape (M,).

    Raises:
        ValueError: If an operand is no vector.

    Examples:
        >>> ops.ger(Tensor([1, 2]), Tensor([3, 4])).asnumpy()
        array([[3, 4],
               [6, 8]])
    """
    return outer.raw(input, vec2)


@op(
    ref=REF + "matrix_power",
    cases=("T(3, 3), 3", "T(2, 3, 3), 0", "D([[2.0, 1.0], [1.0, 3.0]]), -2"),
    errors=(
        ("T(2, 3), 2", "input must hold square matrices along its last two axes, got shape [2, 3]"),
        ("T(3), 2", "got shape [3]"),
        ("T(3, 3), 1.5", "n must be an int, got float: 1.5"),
    ),
    tol=1e-4,
    grad=1,
    method="matrix_power",
    primitive="MatrixPower(n)",
)  # tol: LAPACK's inverse in float32
def matrix_power(input: Array, n: int) -> Array:
    """Return the n-th power of square matrices; a negative one is that of the inverse.

    Args:
        input: A Tensor of shape (..., N, N).
        n: The exponent, an int.

    Raises:
        TypeError: If `n` is no int.
        ValueError: If the matrices are not square.

    Examples:
        >>> ops.matrix_power(Tensor([[1.0, 1.0], [0.0, 1.0]]), 3).asnumpy()
        array([[1., 3.],
               [0., 1.]], dtype=float32)
    """
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise ValueError(f"input must hold square matrices along its last two axes, got shape {list(input.shape)}.")
    return jnp.linalg.matrix_power(input, axes.whole(n, "n"))
