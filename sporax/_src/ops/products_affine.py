"""Products of matrices and vectors, scaled and added to a Tensor."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, number
from sporax._src.core.dtype import unify
from sporax._src.ops.products import REF, matmul, outer
from sporax._src.ops.table import op


def _affine(x: Array, product: Array, beta: Array, alpha: Array) -> Array:
    x, product, beta, alpha = unify(x, product, beta, alpha)
    return beta * x + alpha * product


@op(
    ref=REF + "addmm",
    cases=("T(2, 4), T(2, 3), T(3, 4)", "T(4), T(2, 3), T(3, 4), beta=0.5, alpha=2.0"),
    errors=(("T(2, 2), T(2, 3), T(2, 3)", "agree"),),
    method="addmm",
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
        ValueError: If `vec1` or `vec2` is no vector.

    Examples:
        >>> ops.addr(ops.ones((2, 2)), Tensor([1.0, 2.0]), Tensor([3.0, 4.0])).asnumpy()
        array([[4., 5.],
               [7., 9.]], dtype=float32)
    """
    return _affine(x, outer.raw(vec1, vec2), beta, alpha)
