"""Products of matrices and vectors: matmul, bmm, dot, addmm, outer, cross, einsum, kron, matrix_power, ..."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays, Static, number
from sporax._src.bindings.primitive import primitives
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import is_number
from sporax._src.engine.table import composite, internal, op

REF = "references.linalg."


def _ranks(name: str, x: Array, ndim: int) -> Array:
    _check_tensors(**{name: x})
    if x.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, got {x.ndim}.")
    return x


def _check_tensors(**operands: object) -> None:
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
    amp="half",
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


@op(
    ref="numpy.matmul",
    cases=("T(5, 2, 3), T(5, 3, 4)",),
    errors=(("T(5, 2, 3), T(5, 2, 3)", "agree"),),
    method="bmm",
    amp="half",
)
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
        ValueError: If an operand is not a matrix or the sizes K differ.

    Examples:
        >>> ops.mm(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])).asnumpy()
        array([[11.]], dtype=float32)
    """
    return matmul.raw(_ranks("input", input, 2), _ranks("mat2", mat2, 2))


@op(ref="numpy.matmul", cases=("T(2, 3), T(3)",), errors=(("T(2, 3), T(3, 1)", "vec"),), primitive=(), amp="half")
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


@op(
    name="_vdot",
    ref="numpy.vdot",
    cases=("T(3), T(3)", "I(4), I(4)", "C(3), C(3)", "T(0), T(0)"),
    errors=(
        ("T(2, 2), T(2)", "input must have 1 axes"),
        ("T(3), T(2)", "must have the same size, got 3 and 2"),
        ("T(3), I(3)", "must have the same dtype, got float32 and int32"),
    ),
)
def vdot(input: Array, other: Array) -> Array:
    """Return Σ conj(input) · other of two vectors.

    Args:
        input: A Tensor of shape (K,).
        other: A Tensor of the same shape and dtype.

    Raises:
        ValueError: If an operand is no vector, or the sizes or dtypes differ.

    Examples:
        >>> mint.vdot(Tensor([1 + 2j, 3j]), Tensor([2j, 1 + 0j])).asnumpy()
        array(4.-1.j)
    """
    x, y = _ranks("input", input, 1), _ranks("other", other, 1)
    if x.size != y.size:
        raise ValueError(f"input and other must have the same size, got {x.size} and {y.size}.")
    if x.dtype != y.dtype:
        raise ValueError(f"input and other must have the same dtype, got {x.dtype} and {y.dtype}.")
    return jnp.dot(jnp.conj(x), y)


@op(ref="numpy.outer", cases=("T(2), T(3)", "I(2), T(3)"), errors=(("T(2, 2), T(2)", "input"),), method="outer")
def outer(input: Array, vec2: Array) -> Array:
    """Return the matrix input[i]·vec2[j] of two vectors.

    Args:
        input: A Tensor of shape (N,).
        vec2: A Tensor of shape (M,).

    Raises:
        ValueError: If an operand is not a vector.

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
        ValueError: If an operand is not a vector.

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
        TypeError: If `n` is not an int.
        ValueError: If the matrices are not square.

    Examples:
        >>> ops.matrix_power(Tensor([[1.0, 1.0], [0.0, 1.0]]), 3).asnumpy()
        array([[1., 3.],
               [0., 1.]], dtype=float32)
    """
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise ValueError(f"input must hold square matrices along its last two axes, got shape {list(input.shape)}.")
    return jnp.linalg.matrix_power(input, axes.whole(n, "n"))


# --- products scaled and added to a Tensor ------------------------------------------------------------------------------


def _affine(x: Array, product: Array, beta: Array, alpha: Array) -> Array:
    x, product, beta, alpha = unify(x, product, beta, alpha)
    return beta * x + alpha * product


@op(
    ref=REF + "addmm",
    cases=("T(2, 4), T(2, 3), T(3, 4)", "T(4), T(2, 3), T(3, 4), beta=0.5, alpha=2.0"),
    errors=(("T(2, 2), T(2, 3), T(2, 3)", "agree"),),
    method="addmm",
    amp="half",
)
def addmm(input: Array, mat1: Array, mat2: Array, *, beta: Array = number(1), alpha: Array = number(1)) -> Array:
    """Return beta·input + alpha·(mat1 @ mat2).

    Args:
        input: A Tensor that broadcasts to (M, N).
        mat1: A Tensor of shape (M, K).
        mat2: A Tensor of shape (K, N).
        beta: A number or Tensor.
        alpha: A number or Tensor.

    Raises:
        ValueError: If the sizes K differ.

    Examples:
        >>> ops.addmm(ops.ones((2, 2)), ops.ones((2, 3)), ops.ones((3, 2)), alpha=2.0).asnumpy()
        array([[7., 7.],
               [7., 7.]], dtype=float32)
    """
    return _affine(input, matmul.raw(mat1, mat2), beta, alpha)


@op(
    ref=REF + "addmm",
    cases=("T(2), T(2, 3), T(3)",),
    errors=(("T(2), T(7, 11), T(3)", "the last axis of input and the second-to-last"),),
    method="addmv",
    amp="half",
)
def addmv(input: Array, mat: Array, vec: Array, *, beta: Array = number(1), alpha: Array = number(1)) -> Array:
    """Return beta·input + alpha·(mat @ vec).

    Args:
        input: A Tensor that broadcasts to (M,).
        mat: A Tensor of shape (M, K).
        vec: A Tensor of shape (K,).
        beta: A number or Tensor.
        alpha: A number or Tensor.

    Raises:
        ValueError: If the sizes K differ.

    Examples:
        >>> ops.addmv(Tensor([1.0]), Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])).asnumpy()
        array([12.], dtype=float32)
    """
    return _affine(input, matmul.raw(mat, vec), beta, alpha)


@op(
    ref=REF + "addmm",
    cases=("T(5, 2, 4), T(5, 2, 3), T(5, 3, 4), beta=0.5",),
    errors=(("T(5, 2, 4), T(7, 11), T(5, 3, 4), beta=0.5", "the last axis of input and the second-to-last"),),
    method="baddbmm",
    amp="half",
)
def baddbmm(input: Array, batch1: Array, batch2: Array, beta: Array = number(1), alpha: Array = number(1)) -> Array:
    """Return beta·input + alpha·(batch1 @ batch2), for each element of the batch.

    Args:
        input: A Tensor that broadcasts to (B, M, N).
        batch1: A Tensor of shape (B, M, K).
        batch2: A Tensor of shape (B, K, N).
        beta: A number or Tensor.
        alpha: A number or Tensor.

    Raises:
        ValueError: If the sizes K differ.

    Examples:
        >>> ops.baddbmm(ops.ones((2, 1, 4)), ops.ones((2, 1, 3)), ops.ones((2, 3, 4))).shape
        (2, 1, 4)
    """
    return _affine(input, matmul.raw(batch1, batch2), beta, alpha)


@op(
    ref=REF + "addbmm",
    cases=("T(2, 4), T(5, 2, 3), T(5, 3, 4)",),
    errors=(("T(2, 4), T(7, 11), T(5, 3, 4)", "the last axis of input and the second-to-last"),),
    method="addbmm",
    amp="half",
)
def addbmm(input: Array, batch1: Array, batch2: Array, *, beta: Array = number(1), alpha: Array = number(1)) -> Array:
    """Return beta·input + alpha·Σ (batch1 @ batch2), summed over the batch.

    Args:
        input: A Tensor that broadcasts to (M, N).
        batch1: A Tensor of shape (B, M, K).
        batch2: A Tensor of shape (B, K, N).
        beta: A number or Tensor.
        alpha: A number or Tensor.

    Raises:
        ValueError: If the sizes K differ.

    Examples:
        >>> ops.addbmm(ops.ones((1, 2)), ops.ones((2, 1, 3)), ops.ones((2, 3, 2))).asnumpy()
        array([[7., 7.]], dtype=float32)
    """
    product = matmul.raw(batch1, batch2)
    dtype = np.int64 if product.dtype.kind in "iu" else product.dtype
    return _affine(input, jnp.sum(product, 0, dtype=dtype), beta, alpha)


@op(
    ref=REF + "addr",
    cases=("T(2, 3), T(2), T(3)",),
    errors=(("T(2, 3), T(7, 11), T(3)", "input must have 1 axes"),),
    method="addr",
)
def addr(x: Array, vec1: Array, vec2: Array, *, beta: Array = number(1), alpha: Array = number(1)) -> Array:
    """Return beta·x + alpha·(vec1 ⊗ vec2).

    Args:
        x: A Tensor that broadcasts to (N, M).
        vec1: A Tensor of shape (N,).
        vec2: A Tensor of shape (M,).
        beta: A number or Tensor.
        alpha: A number or Tensor.

    Raises:
        ValueError: If `vec1` or `vec2` is not a vector.

    Examples:
        >>> ops.addr(ops.ones((2, 2)), Tensor([1.0, 2.0]), Tensor([3.0, 4.0])).asnumpy()
        array([[4., 5.],
               [7., 9.]], dtype=float32)
    """
    return _affine(x, outer.raw(vec1, vec2), beta, alpha)


# --- sums of products over chosen axes ----------------------------------------------------------------------------------


@op(
    ref="numpy.inner",
    cases=("T(3), T(3)", "T(2, 3), T(4, 3)", "T(2), T()"),
    errors=(("T(2), T(3)", "last axes"),),
    method="inner",
)
def inner(input: Array, other: Array) -> Array:
    """Return the sums of products over the last axes of both operands.

    Args:
        input: A Tensor of shape (..., K), or of no axes.
        other: A Tensor of shape (..., K), or of no axes.

    Returns:
        A Tensor with the leading axes of input, then those of other.

    Raises:
        ValueError: If the sizes K differ.

    Examples:
        >>> ops.inner(Tensor([1.0, 2.0]), Tensor([[3.0, 4.0], [5.0, 6.0]])).asnumpy()
        array([11., 17.], dtype=float32)
    """
    if input.ndim and other.ndim and input.shape[-1] != other.shape[-1]:
        raise ValueError(f"last axes must agree, got {input.shape[-1]} and {other.shape[-1]}.")
    return jnp.inner(*unify(input, other))


@op(ref=REF + "vecdot", cases=("T(2, 3), T(2, 3)", "T(2, 3), T(3)"), errors=(("T(2), T(2), axis=1", "[-1, 1)"),))
def vecdot(x: Array, y: Array, *, axis: int = -1) -> Array:
    """Return the sums of conj(x)·y along an axis.

    Args:
        x: A Tensor.
        y: A Tensor that broadcasts with `x`.
        axis: The axis that is summed over, counted from the end in both.

    Raises:
        ValueError: If the axis is out of range.
        TypeError: If the shapes do not broadcast.

    Examples:
        >>> ops.vecdot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0])).asnumpy()
        array([3., 7.], dtype=float32)
    """
    axis = axes.one(axis, min(x.ndim, y.ndim))
    x, y = unify(x, y)
    dtype = np.int64 if x.dtype.kind in "biu" else x.dtype
    return jnp.sum(jnp.conj(x) * y, axis - min(x.ndim, y.ndim), dtype=dtype)


@op(
    ref=REF + "cross",
    cases=("T(2, 3), T(2, 3)", "T(3, 2), T(3, 2), 0", "T(3), T(3)"),
    errors=(("T(2), T(2)", "size 3"), ("T(2, 3), T(2, 3), 0", "size 3")),
    method="cross",
)
def cross(input: Array, other: Array, dim: int | None = None) -> Array:
    """Return the vector products along an axis of size 3 (the first one if `dim` is None).

    Args:
        input: A Tensor.
        other: A Tensor of the shape of `input`.
        dim: The axis of the vectors.

    Raises:
        ValueError: If the axis is out of range or has not size 3.

    Examples:
        >>> ops.cross(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])).asnumpy()
        array([0., 0., 1.], dtype=float32)
    """
    sizes = input.shape
    axis = next((d for d, n in enumerate(sizes) if n == 3), None) if dim is None else axes.one(dim, input.ndim, "dim")
    if axis is None or sizes[axis] != 3:
        raise ValueError(f"dim must be an axis of size 3, got {dim} for the shape {sizes}.")
    return jnp.cross(*unify(input, other), axis=axis)


# --- any axes -------------------------------------------------------------------------------------------------------


@internal("einsum", amp="half")
def _einsum(operands: Arrays, equation: Static) -> Array:
    return jnp.einsum(equation, *unify(*operands))


@composite(
    ref="numpy.einsum",
    cases=(
        "'ij,jk->ik', T(2, 3), T(3, 4)",
        "'ii->i', T(3, 3)",
        "'bij,bjk', T(2, 2, 3), T(2, 3, 2)",
        "'i,j->ij', T(2), T(3)",
        "'...ij->...ji', T(2, 3, 4)",
    ),
    errors=(("'ij,jk', T(2, 3), T(2, 3)", "ops.einsum"), ("3, T(2)", "equation")),
)
def einsum(equation: str, *operands: Tensor) -> Tensor:
    """Return the sum of products that Einstein's notation describes.

    Args:
        equation: Such as `"ij,jk->ik"`: the axes of each operand, and those of the result.
        *operands: The Tensors, or a tuple of them.

    Raises:
        TypeError: If the equation is not a str.
        ValueError: If it does not fit the operands.

    Examples:
        >>> ops.einsum("ij,jk->ik", ops.ones((2, 3)), ops.ones((3, 4))).shape
        (2, 4)
    """
    if not isinstance(equation, str):
        raise TypeError(f"ops.einsum: equation must be a string, got {type(equation).__name__}.")
    factors = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    return _einsum(factors, equation)


@op(
    ref="numpy.tensordot",
    cases=("T(2, 3), T(3, 4), 1", "T(2, 3, 4), T(4, 3), ((1, 2), (1, 0))", "T(2), T(3), 0"),
    errors=(("T(2, 3), T(4, 2), 1", "agree"),),
)
def tensor_dot(x1: Array, x2: Array, axes: Static) -> Array:
    """Return the sums of products over given axes.

    Args:
        x1, x2: Tensors.
        axes: n: the last n axes of x1 and the first n of x2; or a pair of axes or of sequences of axes.

    Raises:
        ValueError: If the sizes of the axes do not agree.

    Examples:
        >>> ops.tensor_dot(ops.ones((2, 3, 4)), ops.ones((3, 4, 5)), 2).shape
        (2, 5)
    """
    if isinstance(axes, int):
        first, second = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    else:
        first, second = ((a,) if isinstance(a, int) else tuple(a) for a in axes)
    if [x1.shape[a] for a in first] != [x2.shape[a] for a in second]:
        raise ValueError(f"the axes {first} of x1 {x1.shape} and {second} of x2 {x2.shape} must agree in size.")
    return jnp.tensordot(*unify(x1, x2), axes=(first, second))


@op(
    ref=REF + "batch_dot",
    cases=("T(2, 3), T(2, 3)", "T(2, 3, 4), T(2, 4, 5)", "T(2, 3, 4), T(2, 3), (1, 1)"),
    errors=(("T(2, 3), T(3, 3)", "batch"),),
)
def batch_dot(x1: Array, x2: Array, axes: Static = None) -> Array:
    """Return the sums of products over one axis of each operand, for each element of the batch along axis 0.

    Args:
        x1, x2: Tensors with at least 2 axes and one size of axis 0.
        axes: The axis of each; None: the last of x1 and the second-to-last of x2 (of a matrix the last).

    Raises:
        ValueError: If an operand has fewer than 2 axes, or the batch sizes differ.

    Examples:
        >>> ops.batch_dot(ops.ones((2, 3, 4)), ops.ones((2, 4, 5))).shape
        (2, 3, 5)
    """
    if x1.ndim < 2 or x2.ndim < 2 or x1.shape[0] != x2.shape[0]:
        raise ValueError(f"operands must have at least 2 axes and one batch size, got {x1.shape} and {x2.shape}.")
    pair = (-1, max(x2.ndim - 2, 1)) if axes is None else (axes, axes) if isinstance(axes, int) else axes
    a, b = jnp.moveaxis(x1, pair[0], -1), jnp.moveaxis(x2, pair[1], -1)
    left, right = (x.reshape(x.shape[0], math.prod(x.shape[1:-1]), x.shape[-1]) for x in (a, b))
    out = jnp.einsum("bik,bjk->bij", *unify(left, right)).reshape(*a.shape[:-1], *b.shape[1:-1])
    return out[:, None] if out.ndim == 1 else out


@op(
    ref="numpy.kron",
    cases=("T(2, 3), T(3, 2)", "T(2), T(3)"),
    errors=(("None, T(3, 2)", "operands must be Tensors or numbers"),),
)
def kron(input: Array, other: Array) -> Array:
    """Return the Kronecker product: every element of input times all of other.

    Args:
        input: A Tensor.
        other: A Tensor; the one with fewer axes is led by axes of size 1.

    Returns:
        A Tensor whose sizes are the products of those of the operands.

    Examples:
        >>> ops.kron(Tensor([1, 2]), Tensor([1, 10])).asnumpy()
        array([ 1, 10,  2, 20])
    """
    x, y = unify(input, other)
    return jnp.kron(x.astype(np.uint8), y.astype(np.uint8)).astype(bool) if x.dtype == bool else jnp.kron(x, y)


primitives(
    """\
    input, x: A Tensor (..., M, K), or (..., K, M) with `transpose_a`.
    mat2, y: A Tensor (..., K, N), or (..., N, K) with `transpose_b`.
    transpose_a, transpose_b: Whether to exchange the last two axes first.
MatMul(transpose_a: bool = False, transpose_b: bool = False)(input, mat2) -> \
_transposed_product(input, mat2, transpose_a, transpose_b) if transpose_a or transpose_b else matmul(input, mat2)
    Return the product of matrices, each transposed first if asked for; leading axes broadcast.
    ValueError: If the sizes K differ or the leading axes do not broadcast.
    >>> ops.MatMul(transpose_b=True)(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])).asnumpy()
    array([[11.]], dtype=float32)
BatchMatMul(transpose_a: bool = False, transpose_b: bool = False)(x, y) -> \
_transposed_product(x, y, transpose_a, transpose_b) if transpose_a or transpose_b else matmul(x, y)
    Return the products of matrices, each transposed first if asked for; leading axes broadcast.
    ValueError: If the sizes K differ or the leading axes do not broadcast.
    >>> ops.BatchMatMul()(ops.ones((5, 2, 3)), ops.ones((5, 3, 4))).shape
    (5, 2, 4)
Cross(dim: int = -65530)(input, other) -> cross(input, other, None if dim == -65530 else dim)
    Return the vector products along an axis of size 3.
    dim: The axis; -65530 means the first of size 3.
    ValueError: If the axis is out of range or has not size 3.
    >>> ops.Cross()(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])).asnumpy()
    array([0., 0., 1.], dtype=float32)
Einsum(equation)(inputs) -> einsum(equation, *inputs)
    inputs: A tuple of Tensors.
    >>> ops.Einsum("ij,jk->ik")((ops.ones((2, 3)), ops.ones((3, 4)))).shape
    (2, 4)
""",
    globals(),
)
