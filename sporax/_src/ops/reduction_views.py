"""Tensor methods and Primitive classes of the reductions, whose signatures are their own.

MindSpore's methods take `axis`/`keepdims` (its first generation) and `dim`/`keepdim` (its second), and answer
differently to some: `x.max(1)` and `x.max(dim=1)` give values and indices, `x.max(axis=1)` only values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.typing import Array, Axis
from sporax._src.core.dtype import Type, int32
from sporax._src.core.tensor import Tensor
from sporax._src.ops import reduction, statistics
from sporax._src.ops.arithmetic import add
from sporax._src.ops.callings import forms
from sporax._src.ops.methods import method
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import internal


@method("sum")
def _sum(
    self: Tensor,
    axis: Axis = None,
    keepdim: Any = False,
    keepdims: bool = False,
    initial: Any = None,
    *,
    dim: Axis = None,
    dtype: Any = None,
) -> Tensor:
    """Sum over axes: `sum(dim, keepdim, dtype=)` or `sum(axis, dtype, keepdims, initial)`."""
    if keepdim is None or isinstance(keepdim, Type):
        keepdim, dtype = False, dtype or keepdim
    out = reduction.sum(self, dim if axis is None else axis, keepdim or keepdims, dtype=dtype)
    return out if initial is None else add(out, initial)


@method("mean")
def _mean(
    self: Tensor,
    axis: Axis = None,
    keep_dims: bool = False,
    *,
    dim: Axis = None,
    keepdim: bool = False,
    dtype: Any = None,
) -> Tensor:
    """Mean over axes: `mean(axis, keep_dims)` or `mean(dim, keepdim, dtype=)`."""
    x = self if dtype is None else self.astype(dtype)
    return reduction.mean(x, dim if axis is None else axis, keep_dims or keepdim)


@method("prod")
def _prod(
    self: Tensor,
    dim: Axis = None,
    keepdim: bool = False,
    dtype: Any = None,
    *,
    axis: Axis = None,
    keep_dims: bool = False,
) -> Tensor:
    """Product over axes: `prod(dim, keepdim, dtype)` or `prod(axis=, keep_dims=, dtype=)`."""
    return reduction.prod(self, axis if dim is None else dim, keepdim or keep_dims, dtype)


def _truth(fn: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def over(
        self: Tensor, axis: Axis = None, keep_dims: bool = False, *, dim: Axis = None, keepdim: bool = False
    ) -> Tensor:
        return fn(self, dim if axis is None else axis, keep_dims or keepdim)

    return over


method("all")(_truth(reduction.all))
method("any")(_truth(reduction.any))


def _extreme(pair: Callable[..., Any], reduce: Callable[..., Tensor]) -> Callable[..., Any]:
    def over(
        self: Tensor,
        *args: Any,
        dim: int | None = None,
        keepdim: bool = False,
        axis: Axis = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
        return_indices: bool = False,
    ) -> Any:
        if len(args) > 2:
            raise TypeError(f"expected at most 2 positional arguments, got {len(args)}.")
        if args and isinstance(args[0], int):
            dim, keepdim = args[0], args[1] if len(args) > 1 else keepdim
        elif args:
            axis, keepdims = args[0], args[1] if len(args) > 1 else keepdims
        if dim is not None:
            return pair(self, dim, keepdim)
        where = None if where is True else where
        if return_indices and axis is not None:
            return pair(self, axis, keepdims, initial=initial, where=where)
        return reduce(self, axis, keepdims and axis is not None, initial=initial, where=where)

    return over


method("max")(_extreme(reduction.max, reduction.amax))
method("min")(_extreme(reduction.min, reduction.amin))
forms(
    "max",
    "min",
    of=(
        "",
        "dim: int, keepdim: bool = False",
        "axis: Axis = None, keepdims: bool = False, *, initial: float | None = None, where: bool | Tensor = True, "
        "return_indices: bool = False",
    ),
)


@method("amax")
def _amax(self: Tensor, axis: Axis = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Tensor:
    """Return the largest element over axes."""
    return reduction.amax(self, axis, keepdims, initial=initial, where=where)


@method("amin")
def _amin(self: Tensor, axis: Axis = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Tensor:
    """Return the smallest element over axes."""
    return reduction.amin(self, axis, keepdims, initial=initial, where=where)


def _index(fn: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def over(
        self: Tensor, axis: int | None = None, keepdims: bool = False, *, dim: int | None = None, keepdim: bool = False
    ) -> Tensor:
        return fn(self, dim if axis is None else axis, keepdims or keepdim)

    return over


method("argmax")(_index(reduction.argmax))
method("argmin")(_index(reduction.argmin))
method("argmax_with_value")(lambda self, axis=0, keep_dims=False: reduction.max(self, axis, keep_dims))
method("argmin_with_value")(lambda self, axis=0, keep_dims=False: reduction.min(self, axis, keep_dims))


@method("count_nonzero")
def _count_nonzero(
    self: Tensor, axis: Axis = (), keep_dims: bool = False, dtype: Any = None, *, dim: Axis = None
) -> Tensor:
    """Count the elements that are not 0 over axes."""
    return reduction.count_nonzero(self, axis if dim is None else dim, keep_dims, dtype)


@method("nansum")
def _nansum(
    self: Tensor,
    axis: Axis = None,
    keepdims: bool = False,
    *,
    dim: Axis = None,
    keepdim: bool = False,
    dtype: Any = None,
) -> Tensor:
    """Sum over axes with NaN counted as 0."""
    return reduction.nansum(self, dim if axis is None else axis, keepdims or keepdim, dtype=dtype)


def _spread(fn: Callable[..., Tensor], correction: int) -> Callable[..., Tensor]:
    usual = correction

    def over(
        self: Tensor,
        axis: Axis = None,
        ddof: int = 0,
        keepdims: bool = False,
        *,
        dim: Axis = None,
        correction: int | None = None,
        keepdim: bool = False,
    ) -> Tensor:
        if dim is not None and correction is None:
            correction = usual
        return fn(self, dim if axis is None else axis, ddof if correction is None else correction, keepdims or keepdim)

    return over


method("std")(_spread(statistics.std, 0))
method("var")(_spread(statistics.var, 1))


# --- Primitive classes ----------------------------------------------------------------------------------------------


@primitive("Argmax(axis=-1, output_type=None)")
def _argmax_primitive(x: Tensor, axis: int = -1, output_type: Any = None) -> Tensor:
    """Return the index of the largest element along an axis, as int32 unless output_type says otherwise."""
    return reduction.argmax(x, axis).astype(output_type or int32)


@primitive("Argmin(axis=-1, output_type=None)")
def _argmin_primitive(x: Tensor, axis: int = -1, output_type: Any = None) -> Tensor:
    """Return the index of the smallest element along an axis, as int32 unless output_type says otherwise."""
    return reduction.argmin(x, axis).astype(output_type or int32)


@primitive("ArgMaxWithValue(axis=0, keep_dims=False)")
def _argmax_with_value(x: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return index and value of the largest element along an axis."""
    return reduction.max(x, axis, keep_dims)[::-1]


@primitive("ArgMinWithValue(axis=0, keep_dims=False)")
def _argmin_with_value(x: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return index and value of the smallest element along an axis."""
    return reduction.min(x, axis, keep_dims)[::-1]


@primitive("ReduceStd(axis=(), unbiased=True, keep_dims=False)")
def _reduce_std(
    input_x: Tensor, axis: Axis = (), unbiased: bool = True, keep_dims: bool = False
) -> tuple[Tensor, Tensor]:
    """Return standard deviation and mean over axes."""
    return statistics.std_mean(input_x, axis, int(unbiased), keep_dims)


@primitive("CountNonZero(dims=None)")
def _count_nonzero_primitive(x: Tensor, dims: Axis = None) -> Tensor:
    """Return how many elements are not 0 over axes, as int64."""
    return reduction.count_nonzero(x, dims, False, "int64")


@primitive("EuclideanNorm(keep_dims=False)")
@internal("EuclideanNorm")
def _euclidean_norm(x: Array, axes: Axis, keep_dims: bool = False) -> Any:
    """Return the square root of the sum of squares over axes."""
    return statistics.norm.raw(x, None, axes, keep_dims)


@primitive("Median(global_median=False, axis=0, keep_dims=False, ignore_nan=False)")
def _median(
    x: Tensor, global_median: bool = False, axis: int = 0, keep_dims: bool = False, ignore_nan: bool = False
) -> Any:
    """Return the median along an axis, or of all elements, and its index."""
    fn = statistics.nanmedian if ignore_nan else statistics.median
    return fn(x.reshape((-1,)), 0, False) if global_median else fn(x, axis, keep_dims)


@primitive("Quantile(dim=None, keep_dims=False, ignore_nan=False)")
def _quantile(
    input: Tensor, q: Tensor, dim: int | None = None, keep_dims: bool = False, ignore_nan: bool = False
) -> Tensor:
    """Return the q-th quantiles along an axis, or of all elements."""
    return (statistics.nanquantile if ignore_nan else statistics.quantile)(input, q, dim, keep_dims)
