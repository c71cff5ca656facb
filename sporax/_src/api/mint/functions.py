"""Functions of `mint` that are not views of one row."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.api.numpy.elementwise import larger, smaller
from sporax._src.api.ops import PUBLIC
from sporax._src.api.tensor.operators import assign
from sporax._src.base.config import check_device_name
from sporax._src.base.typing import Array, OptArray
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import internal
from sporax._src.ops.array.cast import cast


def any(input: Tensor, dim: object = None, keepdim: bool = False) -> Tensor:
    """Return whether any element, over all axes or along `dim`, is true.

    Args:
        input: A Tensor; numbers other than 0 are true.
        dim: An axis or several; None means all.
        keepdim: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> mint.any(Tensor([[True, False], [False, False]]), 1).asnumpy()
        array([ True, False])
    """
    return PUBLIC["any"](cast(input, mstype.bool_), dim, keepdim)


def all(input: Tensor, dim: object = None, keepdim: bool = False) -> Tensor:
    """Return whether all elements, over all axes or along `dim`, are true.

    Args:
        input: A Tensor; numbers other than 0 are true.
        dim: An axis or several; None means all.
        keepdim: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> mint.all(Tensor([[True, False], [True, True]]), 1).asnumpy()
        array([False,  True])
    """
    return PUBLIC["all"](cast(input, mstype.bool_), dim, keepdim)


def mean(input: Tensor, dim: object = None, keepdim: bool = False, *, dtype: mstype.TypeLike | None = None) -> Tensor:
    """Return the mean over all axes or along `dim`, computed in `dtype` if it is given.

    Args:
        input: A Tensor of numbers.
        dim: An axis or several; None means all.
        keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to first.

    Raises:
        TypeError: If `input` is boolean and no dtype is given.
        ValueError: If an axis is out of range.

    Examples:
        >>> mint.mean(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
        array([1.5, 3.5], dtype=float32)
    """
    return PUBLIC["mean"](input if dtype is None else cast(input, dtype), dim, keepdim)


def meshgrid(*tensors: Tensor, indexing: str | None = "ij") -> tuple[Tensor, ...]:
    """Return the coordinates of a grid, one Tensor for each vector of coordinates.

    Args:
        tensors: Vectors of coordinates, or one sequence of them.
        indexing: "ij" (the first vector runs along axis 0; None is the same) or "xy" (along axis 1).

    Raises:
        ValueError: If `indexing` is unknown.

    Examples:
        >>> [t.tolist() for t in mint.meshgrid(Tensor([1, 2]), Tensor([3]))]
        [[[1], [2]], [[3], [3]]]
    """
    vectors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    return PUBLIC["meshgrid"](*vectors, indexing="ij" if indexing is None else indexing)


def norm(
    input: Tensor, p: object = "fro", dim: object = None, keepdim: bool = False, *, dtype: mstype.TypeLike | None = None
) -> Tensor:
    """Return the p-norm of all elements or along `dim`; `"fro"` is the 2-norm, `"nuc"` the sum of singular values.

    Args:
        input: A Tensor of floats or complex numbers.
        p: A number, "fro" or "nuc".
        dim: An axis or several; None means all (for "nuc" the last two).
        keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to first.

    Raises:
        TypeError: If `input` is not of a float or complex dtype, and no dtype is given.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(mint.norm(Tensor([3.0, 4.0])))
        5.0
    """
    if p == "nuc":
        return PUBLIC["matrix_norm"](input, p, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return PUBLIC["vector_norm"](input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, beta: object = 1, alpha: object = 1) -> Tensor:
    """Write beta·input + alpha·(vec1 ⊗ vec2) into the input and return it.

    Args:
        input: A Tensor (N, M).
        vec1: A Tensor of shape (N,).
        vec2: A Tensor of shape (M,).
        beta, alpha: Numbers.

    Raises:
        TypeError: If the dtype of the result does not fit in the input's.
        ValueError: If the shape of the result is not the input's, or an operand is no vector.

    Examples:
        >>> x = mint.ones((1, 2))
        >>> mint.addr_(x, Tensor([1.0]), Tensor([3.0, 4.0])) is x, x.tolist()
        (True, [[4.0, 5.0]])
    """
    return assign(input, PUBLIC["addr"](input, vec1, vec2, beta=beta, alpha=alpha), "addr_")


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """Return input + value · tensor1 / tensor2.

    Args:
        input: A Tensor.
        tensor1: A Tensor.
        tensor2: A Tensor; the three broadcast.
        value: A number.

    Examples:
        >>> mint.addcdiv(Tensor([1.0]), Tensor([6.0]), Tensor([3.0]), value=2).asnumpy()
        array([5.], dtype=float32)
    """
    return PUBLIC["addcdiv"](input, tensor1, tensor2, value)


@internal("mint.select", view=True)
def _select(input: Array, index: Array, dim: int) -> Array:
    dim = axes.one(dim, input.ndim, "dim")
    return jax.lax.dynamic_index_in_dim(input, jnp.asarray(index).astype(np.int64), dim, keepdims=False)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return the slice number `index` along `dim`.

    Args:
        input: A Tensor.
        dim: The axis, counted from the end where it is negative.
        index: An int or Tensor; counted from the end where it is negative.

    Returns:
        A Tensor without the axis.

    Raises:
        IndexError: If there is no such slice.
        ValueError: If the axis is out of range.

    Examples:
        >>> mint.select(Tensor([[1, 2], [3, 4]]), 0, 1).asnumpy()
        array([3, 4])
    """
    size = input.shape[axes.one(dim, input.ndim, "dim")]
    if isinstance(index, int) and not -size <= index < size:
        raise IndexError(f"mint.select: index must be in [{-size}, {size}), got {index}.")
    return _select(input, index, dim)


@internal("mint.index_add", bounds=lambda input, index, dim, **_: [("index", index, input.shape[dim])])
def _index_add(input: Array, index: Array, source: Array, alpha: Array, dim: int) -> Array:
    dim = axes.one(dim, input.ndim, "dim")
    slices = (slice(None),) * dim + (index,)
    return input.at[slices].add(source.astype(input.dtype) * jnp.asarray(alpha).astype(input.dtype))


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """Return input with alpha · source added to its slices number `index` along `dim`.

    Args:
        input: A Tensor.
        dim: The axis, counted from the end where it is negative.
        index: A 1-D integer Tensor: where each slice of `source` goes.
        source: A Tensor of the shape of `input` but for len(index) along `dim`.
        alpha: A factor of the slices.

    Raises:
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> mint.index_add(Tensor([1, 2, 3]), 0, Tensor([0, 2]), Tensor([10, 20])).asnumpy()
        array([11,  2, 23])
    """
    return _index_add(input, index, source, alpha, dim)


@internal("mint.triangular_solve")
def _triangular_solve(b: Array, A: Array, upper: bool, transpose: bool, unitriangular: bool) -> tuple[Array, Array]:
    shape = jnp.broadcast_shapes(b.shape[:-2], A.shape[:-2])
    b, a = jnp.broadcast_to(b, shape + b.shape[-2:]), jnp.broadcast_to(A, shape + A.shape[-2:])
    x = jax.lax.linalg.triangular_solve(
        a, b, left_side=True, lower=not upper, transpose_a=transpose, unit_diagonal=unitriangular
    )
    return x, a


def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """Return X with A · X = b for triangular matrices A, and A.

    Args:
        b: A Tensor of shape (..., M, K).
        A: A Tensor of shape (..., M, M), of which one triangle is read.
        upper: Whether that is the upper one.
        transpose: Whether the transpose of A is meant.
        unitriangular: Whether the diagonal counts as ones.

    Returns:
        X of shape (..., M, K), and A.

    Examples:
        >>> mint.triangular_solve(Tensor([[4.0], [2.0]]), Tensor([[2.0, 1.0], [0.0, 1.0]]))[0].asnumpy()
        array([[1.],
               [2.]], dtype=float32)
    """
    return _triangular_solve(b, A, upper, transpose, unitriangular)


def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two Tensors have the same shape and the same elements.

    Args:
        input: A Tensor.
        other: A Tensor.

    Raises:
        TypeError: If one is none.

    Examples:
        >>> mint.equal(Tensor([1, 2]), Tensor([1, 2]))
        True
    """
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        raise TypeError(f"mint.equal: expected two Tensors, got {type(input).__name__} and {type(other).__name__}.")
    return input.shape == other.shape and bool(PUBLIC["equal"](input, other).asnumpy().all())


# --- without values -------------------------------------------------------------------------------------------------


def full(size: object, fill_value: object, *, dtype: mstype.TypeLike | None = None) -> Tensor:
    """Return a Tensor of one value, in the dtype of the value: int64, float32 or bool for Python's numbers.

    Args:
        size: An int or several.
        fill_value: A number or a Tensor of one element.
        dtype: The dtype.

    Examples:
        >>> mint.full((2,), 7).asnumpy()
        array([7, 7])
    """
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, Tensor) else mstype.as_type(type(fill_value))
    return PUBLIC["full"](size, fill_value, dtype=dtype)


def empty(
    *sizes: object,
    size: Any = None,
    dtype: mstype.TypeLike | None = None,
    device: object = None,
    pin_memory: bool = False,
) -> Tensor:
    """Return a Tensor of zeros: there is no uninitialised memory here, and one device (`device` has no effect).

    Args:
        sizes, size: The sizes, or one tuple of them.
        dtype: The dtype; float32 if None.
        device: The name of a device, as for `Tensor.to`.
        pin_memory: Accepted.

    Raises:
        ValueError: If there is no such device.

    Examples:
        >>> mint.empty(2, 3).shape
        (2, 3)
    """
    check_device_name("mint.empty", device)
    return PUBLIC["zeros"]((sizes[0] if len(sizes) == 1 else sizes) if size is None else size, dtype)


def empty_like(
    input: Tensor, *, dtype: mstype.TypeLike | None = None, device: object = None, pin_memory: bool = False
) -> Tensor:
    """Return zeros of the shape and, unless given, dtype of the input; `device` has no effect.

    Args:
        input: A Tensor.
        dtype: The dtype; that of `input` if None.
        device: The name of a device, as for `Tensor.to`.
        pin_memory: Accepted.

    Raises:
        ValueError: If there is no such device.

    Examples:
        >>> mint.empty_like(Tensor([1, 2])).shape
        (2,)
    """
    check_device_name("mint.empty_like", device)
    return PUBLIC["zeros_like"](input, dtype=dtype)


def clone(input: Tensor) -> Tensor:
    """Return a new Tensor with the same values, through which gradients flow.

    Args:
        input: A Tensor.

    Examples:
        >>> mint.clone(Tensor([1, 2])).asnumpy()
        array([1, 2])
    """
    return PUBLIC["deepcopy"](input)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Return whether |input - other| <= atol + rtol · |other| holds for all elements.

    Args:
        input: A Tensor.
        other: A Tensor that broadcasts with `input`.
        rtol: The relative tolerance.
        atol: The absolute tolerance.
        equal_nan: Whether NaN equals NaN.

    Examples:
        >>> mint.allclose(Tensor([1.0]), Tensor([1.0 + 1e-6]))
        True
    """
    return bool(PUBLIC["isclose"](input, other, rtol, atol, equal_nan).asnumpy().all())


# --- order: extremes, sorting and different elements --------------------------------------------------------------------


def _overloaded(name: str, pairwise: Any) -> Any:
    whole, along = PUBLIC["a" + name], PUBLIC[name]

    def function(input: Tensor, *args: Any, **kwargs: object) -> Any:
        first = args[0] if args else kwargs.get("other", kwargs.get("dim"))
        if first is None:
            return whole(input)
        if isinstance(first, Tensor):
            return pairwise(input, first)
        return _along(*args, input=input, **kwargs)

    def _along(dim: int, keepdim: bool = False, *, input: Tensor) -> Any:
        return along(input, dim, keepdim)

    function.__name__ = name
    return function


max = _overloaded("max", larger)
max.__doc__ = """Return the largest element; along `dim`, with its index; or of pairs with `other`, the larger ones.

    Called as `max(input)`, `max(input, dim, keepdim=False)` or `max(input, other)`.

    Args:
        input: A Tensor.
        args, kwargs: The axis and whether it stays with size 1; or another Tensor that broadcasts with `input`.

    Returns:
        A Tensor; with `dim` the values and their int64 indices.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> float(mint.max(Tensor([1.0, 3.0])))
        3.0
        >>> mint.max(Tensor([1.0, 3.0]), Tensor([2.0, 2.0])).asnumpy()
        array([2., 3.], dtype=float32)
    """
min = _overloaded("min", smaller)
min.__doc__ = """Return the smallest element; along `dim`, with its index; or of pairs with `other`, the smaller ones.

    Called as `min(input)`, `min(input, dim, keepdim=False)` or `min(input, other)`.

    Args:
        input: A Tensor.
        args, kwargs: The axis and whether it stays with size 1; or another Tensor that broadcasts with `input`.

    Returns:
        A Tensor; with `dim` the values and their int64 indices.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> float(mint.min(Tensor([1.0, 3.0])))
        1.0
        >>> mint.min(Tensor([1.0, 3.0]), Tensor([2.0, 2.0])).asnumpy()
        array([1., 2.], dtype=float32)
    """


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the median of all elements; along `dim`, with its index.

    Args:
        input: A Tensor of real numbers.
        dim: The axis; None means all elements.
        keepdim: Whether the axis stays with size 1.

    Returns:
        The value alone, or with `dim` the values and their int64 indices.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> float(mint.median(Tensor([4.0, 1.0, 3.0])))
        3.0
    """
    return PUBLIC["median"](PUBLIC["ravel"](input))[0] if dim is None else PUBLIC["median"](input, dim, keepdim)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the indices that sort along `dim`; equal elements keep their order, `stable` or not.

    Args:
        input: A Tensor.
        dim: The axis, counted from the end where it is negative.
        descending: Whether the largest come first.
        stable: Accepted: equal elements keep their order either way.

    Returns:
        An int64 Tensor; `ops.argsort` gives int32.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> mint.argsort(Tensor([3.0, 1.0, 2.0])).asnumpy()
        array([1, 2, 0])
    """
    return sort(input, dim=dim, descending=descending)[1]


@internal("mint.sort")
def _sort(input: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    dim = axes.one(dim, max_(input.ndim, 1), "dim")
    if not input.ndim:
        return input, jnp.zeros((), np.int64)
    order = jnp.argsort(input, dim, descending=descending, stable=True).astype(np.int64)
    return jnp.take_along_axis(input, order, dim), order


def max_(a: int, b: int) -> int:
    """Return the larger of two Python integers."""
    return a if a > b else b


def sort(input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False) -> tuple[Tensor, Tensor]:
    """Return the sorted elements along `dim`, and their indices; equal elements keep their order, `stable` or not.

    Args:
        input: A Tensor.
        dim: The axis, counted from the end where it is negative.
        descending: Whether the largest come first.
        stable: Accepted: equal elements keep their order either way.

    Returns:
        The elements, and their int64 indices.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> values, indices = mint.sort(Tensor([3.0, 1.0, 2.0]))
        >>> values.asnumpy(), indices.asnumpy()
        (array([1., 2., 3.], dtype=float32), array([1, 2, 0]))
    """
    return _sort(input, dim, descending)


def cummin(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Return the smallest elements up to each position along `dim`, and their indices.

    Args:
        input: A Tensor.
        dim: The axis, counted from the end where it is negative.

    Returns:
        The values, and their int64 indices.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> mint.cummin(Tensor([3.0, 1.0, 2.0]), 0)[0].asnumpy()
        array([3., 1., 1.], dtype=float32)
    """
    values, indices = PUBLIC["cummin"](input, dim)
    return values, cast(indices, mstype.int64)


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """Return the k largest (or smallest) elements along `dim`, in order, and their indices.

    Args:
        input: A Tensor.
        k: How many.
        dim: The axis, counted from the end where it is negative.
        largest: Whether the largest or the smallest.
        sorted: Accepted: the result is always in order.

    Returns:
        The elements, and their int64 indices.

    Raises:
        ValueError: If the axis is out of range, or `k` is not in [0, its size].

    Examples:
        >>> values, indices = mint.topk(Tensor([3.0, 1.0, 2.0]), 2)
        >>> values.asnumpy(), indices.asnumpy()
        (array([3., 2.], dtype=float32), array([0, 2]))
    """
    values, indices = PUBLIC["topk"](input, k, dim, largest, sorted)
    return values, cast(indices, mstype.int64)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the different elements, or the different slices along `dim`, in ascending order.

    Args:
        input: The values.
        sorted: Ascending either way.
        return_inverse: Whether to return, too, for each element its index among the distinct ones.
        return_counts: Whether to return, too, how often each occurs.
        dim: The axis; None: the flattened elements.

    Examples:
        >>> mint.unique(Tensor([3, 1, 3])).asnumpy()
        array([1, 3])
    """
    _, first, inverse, counts = np.unique(
        input.asnumpy(), return_index=True, return_inverse=True, return_counts=True, axis=dim
    )
    flat = PUBLIC["ravel"](input) if dim is None else input
    out = [PUBLIC["index_select"](flat, dim or 0, Tensor(first.astype(np.int64)))]
    if return_inverse:
        out.append(Tensor(inverse.reshape(input.shape if dim is None else -1).astype(np.int64)))
    if return_counts:
        out.append(Tensor(counts.astype(np.int64)))
    return out[0] if len(out) == 1 else tuple(out)


# --- the parts of a batch normalisation over several devices ------------------------------------------------------------


def _others(input: Array) -> tuple[int, ...]:
    return (0, *range(2, input.ndim))


def _per_channel(v: Array, input: Array) -> Array:
    return v.reshape([1, -1] + [1] * (input.ndim - 2))


@internal("mint.batch_norm_stats")
def batch_norm_stats(input: Array, eps: float) -> tuple[Array, Array]:
    """Return the mean of each channel, and 1 / √(variance + eps).

    Args:
        input: A Tensor (N, C, ...).
        eps: Added to the variance.

    Returns:
        Two float32 Tensors of shape (C,).

    Examples:
        >>> mean, invstd = mint.batch_norm_stats(Tensor([[1.0], [3.0]]), 0.0)
        >>> mean.asnumpy(), invstd.asnumpy()
        (array([2.], dtype=float32), array([1.], dtype=float32))
    """
    x = input.astype(np.float32)
    return jnp.mean(x, _others(x)), jax.lax.rsqrt(jnp.var(x, _others(x)) + np.float32(eps))


@internal("mint.batch_norm_elemt")
def batch_norm_elemt(
    input: Array,
    weight: OptArray = None,
    bias: OptArray = None,
    mean: OptArray = None,
    invstd: OptArray = None,
    eps: float = 1e-05,
) -> Array:
    """Return (input - mean) · invstd · weight + bias, all of them one value per channel; `eps` is within invstd.

    Args:
        input: A Tensor (N, C, ...).
        weight, bias: Tensors (C,); None leaves them out.
        mean, invstd: Tensors (C,), as `batch_norm_stats` gives them.
        eps: Accepted.

    Raises:
        ValueError: If `mean` or `invstd` is None.

    Examples:
        >>> mint.batch_norm_elemt(Tensor([[1.0], [3.0]]), mean=Tensor([2.0]), invstd=Tensor([1.0])).asnumpy()
        array([[-1.],
               [ 1.]], dtype=float32)
    """
    if mean is None or invstd is None:
        raise ValueError("mean and invstd must be given.")
    out = (input - _per_channel(mean, input).astype(input.dtype)) * _per_channel(invstd, input).astype(input.dtype)
    if weight is not None:
        out = out * _per_channel(weight, input).astype(input.dtype)
    return out if bias is None else out + _per_channel(bias, input).astype(input.dtype)


@internal("mint.batch_norm_gather_stats_with_counts")
def _gather_stats(
    mean: Array,
    invstd: Array,
    running_mean: OptArray,
    running_var: OptArray,
    counts: Array,
    momentum: float,
    eps: float,
) -> tuple[Array, ...]:
    n = counts.astype(np.float32)[:, None]
    total = jnp.sum(n)
    var = 1 / jnp.square(invstd) - np.float32(eps)
    centre = jnp.sum(mean * n, 0) / total
    spread = jnp.sum((var + jnp.square(mean - centre)) * n, 0)
    out = [centre, jax.lax.rsqrt(spread / total + np.float32(eps))]
    m = np.float32(momentum)
    if running_mean is not None:
        out.append((1 - m) * running_mean + m * centre)
    if running_var is not None:
        out.append((1 - m) * running_var + m * spread / (total - 1))
    return tuple(out)


def batch_norm_gather_stats_with_counts(
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    momentum: float = 0.1,
    eps: float = 1e-05,
    counts: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the mean and 1 / √(variance + eps) over several devices, and update the moving statistics with them.

    Args:
        input: The part of the batch on this device.
        mean, invstd: The statistics of each device, shape (devices, C).
        running_mean, running_var: The moving statistics, changed in place.
        momentum: The share of the new statistics in the moving ones.
        eps: What `invstd` had added to the variance.
        counts: How many values each device saw.

    Returns:
        Two Tensors of shape (C,).

    Examples:
        >>> x, mean, invstd = Tensor([[1.0], [3.0]]), Tensor([[1.0], [3.0]]), Tensor([[1.0], [1.0]])
        >>> mint.batch_norm_gather_stats_with_counts(x, mean, invstd, eps=0.0)[0].asnumpy()
        array([2.], dtype=float32)
    """
    if counts is None:
        counts = Tensor(np.full(mean.shape[0], input.size // input.shape[1], np.float32))
    centre, scale, *moving = _gather_stats(mean, invstd, running_mean, running_var, counts, momentum, eps)
    for target, value in zip([t for t in (running_mean, running_var) if t is not None], moving, strict=True):
        target._rebind(value)
    return centre, scale
