"""Primitive classes of the reductions, whose signatures are their own."""

from __future__ import annotations

from typing import Any

from sporax._src.base.typing import Array, Axis
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core.dtype import int32
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal
from sporax._src.ops.math import norms, statistics


@primitive("EuclideanNorm(keep_dims=False)")
@internal("EuclideanNorm")
def _euclidean_norm(x: Array, axes: Axis, keep_dims: bool = False) -> Array:
    """Return the square root of the sum of squares over axes.

    Args:
        x: A Tensor.
        axes: An axis or several.
        keep_dims: Whether reduced axes stay with size 1.

    Examples:
        >>> float(ops.EuclideanNorm()(Tensor([3.0, 4.0]), 0))
        5.0
    """
    return norms.norm.raw(x, None, axes, keep_dims)


@primitive("Median(global_median=False, axis=0, keep_dims=False, ignore_nan=False)")
def _median(
    x: Tensor, global_median: bool = False, axis: int = 0, keep_dims: bool = False, ignore_nan: bool = False
) -> Any:
    """Return the median along an axis, or of all elements, and its index.

    Args:
        x: A Tensor of real numbers.
        global_median: Whether to look at all elements.
        axis: The axis, counted from the end where it is negative.
        keep_dims: Whether the axis stays with size 1.
        ignore_nan: Whether NaN does not count; otherwise NaN wins.

    Examples:
        >>> float(ops.Median(global_median=True)(Tensor([4.0, 1.0, 3.0]))[0])
        3.0
    """
    fn = statistics.nanmedian if ignore_nan else statistics.median
    return fn(x.reshape((-1,)), 0, False) if global_median else fn(x, axis, keep_dims)


primitives(
    """\
    axis: The axis, counted from the end where it is negative.
    keep_dims: Whether the axis stays with size 1.
    output_type: The dtype of the result; int32 if None.
Argmax(axis: int = -1, output_type=None)(input_x) -> argmax(input_x, axis).astype(output_type or int32)
    Return the (first) index of the largest element along an axis.
    >>> ops.Argmax()(Tensor([[1.0, 4.0], [3.0, 2.0]])).asnumpy()
    array([1, 0], dtype=int32)
Argmin(axis: int = -1, output_type=None)(x) -> argmin(x, axis).astype(output_type or int32)
    Return the (first) index of the smallest element along an axis.
    >>> ops.Argmin()(Tensor([[1.0, 4.0], [3.0, 2.0]])).asnumpy()
    array([0, 1], dtype=int32)
ArgMaxWithValue(axis: int = 0, keep_dims=False)(input) -> max(input, axis, keep_dims)[::-1]
    Return index and value of the largest element along an axis.
    >>> index, value = ops.ArgMaxWithValue()(Tensor([1.0, 4.0, 3.0]))
    >>> int(index), float(value)
    (1, 4.0)
ArgMinWithValue(axis: int = 0, keep_dims=False)(input) -> min(input, axis, keep_dims)[::-1]
    Return index and value of the smallest element along an axis.
    >>> index, value = ops.ArgMinWithValue()(Tensor([2.0, 1.0, 3.0]))
    >>> int(index), float(value)
    (1, 1.0)
ReduceStd(axis=(), unbiased=True, keep_dims=False)(x) -> std_mean(x, axis, int(unbiased), keep_dims)
    axis: An axis, several, or () for all.
    unbiased: Whether to divide by n - 1 instead of n.
    keep_dims: Whether reduced axes stay with size 1.
    >>> deviation, mean = ops.ReduceStd(unbiased=False)(Tensor([1.0, 3.0]))
    >>> float(deviation), float(mean)
    (1.0, 2.0)
CountNonZero(dims=None)(x) -> count_nonzero(x, dims, False, "int64")
    Return how many elements over axes are not 0, as int64.
    dims: An axis, several, or None for all.
    >>> ops.CountNonZero()(Tensor([0, 1, 2])).asnumpy()
    array(2)
Quantile(dim: int | None = None, keep_dims=False, ignore_nan=False)(input, q) -> \
nanquantile(input, q, dim, keep_dims) if ignore_nan else quantile(input, q, dim, keep_dims)
    Return the q-th quantiles along an axis, or of all elements, interpolated linearly.
    dim: The axis; None looks at all elements.
    ignore_nan: Whether NaN does not count; otherwise NaN wins.
    >>> float(ops.Quantile()(Tensor([1.0, 2.0, 4.0]), Tensor(0.75)))
    3.0
""",
    globals() | {"int32": int32},
)
