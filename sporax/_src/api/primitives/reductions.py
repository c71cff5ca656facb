"""Primitive classes of the reductions, whose signatures are their own."""

from __future__ import annotations

from typing import Any

from sporax._src.base.typing import Array, Axis
from sporax._src.core.dtype import int32
from sporax._src.core.tensor import Tensor
from sporax._src.engine.primitive import primitive
from sporax._src.engine.table import internal
from sporax._src.ops.math import norms, reduction, statistics


@primitive("Argmax(axis=-1, output_type=None)")
def _argmax_primitive(x: Tensor, axis: int = -1, output_type: Any = None) -> Tensor:
    """Return the index of the largest element along an axis, as int32 unless output_type says otherwise.

    Args:
        x: A Tensor.
        axis: The axis, counted from the end where it is negative.
        output_type: The dtype of the result.

    Examples:
        >>> ops.Argmax()(Tensor([[1.0, 4.0], [3.0, 2.0]])).asnumpy()
        array([1, 0], dtype=int32)
    """
    return reduction.argmax(x, axis).astype(output_type or int32)


@primitive("Argmin(axis=-1, output_type=None)")
def _argmin_primitive(x: Tensor, axis: int = -1, output_type: Any = None) -> Tensor:
    """Return the index of the smallest element along an axis, as int32 unless output_type says otherwise.

    Args:
        x: A Tensor.
        axis: The axis, counted from the end where it is negative.
        output_type: The dtype of the result.

    Examples:
        >>> ops.Argmin()(Tensor([[1.0, 4.0], [3.0, 2.0]])).asnumpy()
        array([0, 1], dtype=int32)
    """
    return reduction.argmin(x, axis).astype(output_type or int32)


@primitive("ArgMaxWithValue(axis=0, keep_dims=False)")
def _argmax_with_value(x: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return index and value of the largest element along an axis.

    Args:
        x: A Tensor.
        axis: The axis, counted from the end where it is negative.
        keep_dims: Whether the axis stays with size 1.

    Examples:
        >>> index, value = ops.ArgMaxWithValue()(Tensor([1.0, 4.0, 3.0]))
        >>> int(index), float(value)
        (1, 4.0)
    """
    value, index = reduction.max(x, axis, keep_dims)
    return index, value


@primitive("ArgMinWithValue(axis=0, keep_dims=False)")
def _argmin_with_value(x: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return index and value of the smallest element along an axis.

    Args:
        x: A Tensor.
        axis: The axis, counted from the end where it is negative.
        keep_dims: Whether the axis stays with size 1.

    Examples:
        >>> index, value = ops.ArgMinWithValue()(Tensor([2.0, 1.0, 3.0]))
        >>> int(index), float(value)
        (1, 1.0)
    """
    value, index = reduction.min(x, axis, keep_dims)
    return index, value


@primitive("ReduceStd(axis=(), unbiased=True, keep_dims=False)")
def _reduce_std(
    input_x: Tensor, axis: Axis = (), unbiased: bool = True, keep_dims: bool = False
) -> tuple[Tensor, Tensor]:
    """Return standard deviation and mean over axes.

    Args:
        input_x: A Tensor of floats.
        axis: An axis, several, or () for all.
        unbiased: Whether to divide by n - 1 instead of n.
        keep_dims: Whether reduced axes stay with size 1.

    Examples:
        >>> deviation, mean = ops.ReduceStd(unbiased=False)(Tensor([1.0, 3.0]))
        >>> float(deviation), float(mean)
        (1.0, 2.0)
    """
    return statistics.std_mean(input_x, axis, int(unbiased), keep_dims)


@primitive("CountNonZero(dims=None)")
def _count_nonzero_primitive(x: Tensor, dims: Axis = None) -> Tensor:
    """Return how many elements are not 0 over axes, as int64.

    Args:
        x: A Tensor.
        dims: An axis, several, or None for all.

    Examples:
        >>> ops.CountNonZero()(Tensor([0, 1, 2])).asnumpy()
        array(2)
    """
    return reduction.count_nonzero(x, dims, False, "int64")


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


@primitive("Quantile(dim=None, keep_dims=False, ignore_nan=False)")
def _quantile(
    input: Tensor, q: Tensor, dim: int | None = None, keep_dims: bool = False, ignore_nan: bool = False
) -> Tensor:
    """Return the q-th quantiles along an axis, or of all elements.

    Args:
        input: A Tensor of floats.
        q: A number in [0, 1], or a 1-D Tensor of them.
        dim: The axis; None looks at all elements.
        keep_dims: Whether the axis stays with size 1.
        ignore_nan: Whether NaN does not count; otherwise NaN wins.

    Examples:
        >>> float(ops.Quantile()(Tensor([1.0, 2.0, 4.0]), Tensor(0.75)))
        3.0
    """
    return (statistics.nanquantile if ignore_nan else statistics.quantile)(input, q, dim, keep_dims)
