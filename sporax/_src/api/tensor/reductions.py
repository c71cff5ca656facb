"""Tensor methods of the reductions, whose signatures are their own.

MindSpore's methods take `axis`/`keepdims` (its first generation) and `dim`/`keepdim` (its second), and answer
differently to some: `x.max(dim=1)` gives values and indices, `x.max(axis=1)` only values, and `x.max(1)` the former in
PyNative mode, the latter in a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from types import EllipsisType
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Axis
from sporax._src.core.dtype import Type
from sporax._src.core.scope import as_graph
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import flag
from sporax._src.engine.call_errors import forms
from sporax._src.engine.tensor_methods import method
from sporax._src.ops.array.cast import cast
from sporax._src.ops.math import reduction, statistics
from sporax._src.ops.math.arithmetic import add


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
    """Return the sum over axes; called as `sum(dim, keepdim, dtype=)` or `sum(axis, dtype, keepdims, initial)`.

    Args:
        axis, dim: An axis, several, or None for all.
        keepdim, keepdims: Whether reduced axes stay with size 1.
        initial: A number that is added.
        dtype: The dtype to convert to before adding, and that of the result; integers add up as int64 if None.

    Raises:
        TypeError: If `initial` is no number.
        ValueError: If an axis is out of range.

    Examples:
        >>> Tensor([[1.0, 2.0], [3.0, 4.0]]).sum(1).asnumpy()
        array([3., 7.], dtype=float32)
    """
    if keepdim is None or isinstance(keepdim, Type):
        keepdim, dtype = False, dtype or keepdim
    out = reduction.sum(self, dim if axis is None else axis, keepdim or keepdims, dtype=dtype)
    if initial is None:
        return out
    _check_initial(initial)
    out = add(out, initial)
    return out if dtype is None else cast(out, dtype)


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
    """Return the mean over axes; called as `mean(axis, keep_dims)` or `mean(dim, keepdim, dtype=)`.

    Args:
        axis, dim: An axis, several, or None for all.
        keep_dims, keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to first.

    Raises:
        TypeError: If the Tensor is boolean.
        ValueError: If an axis is out of range.

    Examples:
        >>> Tensor([[1.0, 2.0], [3.0, 4.0]]).mean(0).asnumpy()
        array([2., 3.], dtype=float32)
    """
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
    """Return the product over axes; called as `prod(dim, keepdim, dtype)` or `prod(axis=, keep_dims=, dtype=)`.

    Args:
        dim, axis: An axis, several, or None for all.
        keepdim, keep_dims: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to before multiplying; integers multiply as int64 if None.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).prod(1).asnumpy()
        array([ 2, 12])
    """
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
        keepdim: Any = ...,
        axis: Axis = None,
        keepdims: Any = ...,
        initial: Any = ...,
        where: Any = ...,
        return_indices: Any = ...,
    ) -> Any:
        if len(args) > 2:
            raise TypeError(f"expected at most 2 positional arguments, got {len(args)}.")
        of_axis = any(v is not ... for v in (keepdims, initial, where, return_indices)) or (
            as_graph() and keepdim is ...
        )
        if args and isinstance(args[0], int) and not of_axis:
            dim, keepdim = args[0], args[1] if len(args) > 1 else keepdim
        elif args:
            axis, keepdims = args[0], args[1] if len(args) > 1 else keepdims
        if dim is not None:
            return pair(self, dim, _flag(keepdim, "keepdim"))
        keepdims, return_indices = _flag(keepdims, "keepdims"), _flag(return_indices, "return_indices")
        if not isinstance(where, (bool, Tensor, EllipsisType)):
            raise TypeError(f"where must be a bool or a Tensor, got {describe(where)}.")
        initial, where = None if initial is ... else initial, None if where is ... or where is True else where
        _check_initial(initial)
        if return_indices and isinstance(axis, int):
            return pair(self, axis, keepdims, initial=initial, where=where)
        return reduce(self, axis, keepdims and axis is not None, initial=initial, where=where)

    return over


def _flag(value: Any, name: str) -> bool:
    """Return a bool, False if none is given."""
    flag(value := value is not ... and value, name)
    return value


def _check_initial(value: Any) -> None:
    if value is not None and not isinstance(value, (bool, int, float, np.generic)):
        raise TypeError(f"initial must be a number or None, got {describe(value)}.")


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
    """Return the largest element over axes.

    Args:
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.
        initial: A value the result is not below.
        where: A mask of the elements that count; needs `initial`.

    Raises:
        ValueError: If an axis is out of range, or `where` is given without `initial`.

    Examples:
        >>> Tensor([[1.0, 4.0], [3.0, 2.0]]).amax(1).asnumpy()
        array([4., 3.], dtype=float32)
    """
    return reduction.amax(self, axis, keepdims, initial=initial, where=where)


@method("amin")
def _amin(self: Tensor, axis: Axis = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Tensor:
    """Return the smallest element over axes.

    Args:
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.
        initial: A value the result is not above.
        where: A mask of the elements that count; needs `initial`.

    Raises:
        ValueError: If an axis is out of range, or `where` is given without `initial`.

    Examples:
        >>> Tensor([[1.0, 4.0], [3.0, 2.0]]).amin(1).asnumpy()
        array([1., 2.], dtype=float32)
    """
    return reduction.amin(self, axis, keepdims, initial=initial, where=where)


def _index(fn: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def over(
        self: Tensor, axis: int | None = None, keepdims: bool = False, *, dim: int | None = None, keepdim: bool = False
    ) -> Tensor:
        return fn(self, dim if axis is None else axis, keepdims or keepdim)

    return over


method("argmax")(_index(reduction.argmax))
method("argmin")(_index(reduction.argmin))


@method("argmax_with_value")
def _largest(self: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the largest elements along an axis, and their (first) indices as int64.

    Args:
        axis: The axis, counted from the end where it is negative.
        keep_dims: Whether the axis stays with size 1.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> value, index = Tensor([1.0, 4.0, 3.0]).argmax_with_value()
        >>> float(value), int(index)
        (4.0, 1)
    """
    return reduction.max(self, axis, keep_dims)


@method("argmin_with_value")
def _smallest(self: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the smallest elements along an axis, and their (first) indices as int64.

    Args:
        axis: The axis, counted from the end where it is negative.
        keep_dims: Whether the axis stays with size 1.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> value, index = Tensor([2.0, 1.0, 3.0]).argmin_with_value()
        >>> float(value), int(index)
        (1.0, 1)
    """
    return reduction.min(self, axis, keep_dims)


@method("count_nonzero")
def _count_nonzero(
    self: Tensor, axis: Axis = (), keep_dims: bool = False, dtype: Any = None, *, dim: Axis = None
) -> Tensor:
    """Return how many elements over axes are not 0.

    Args:
        axis, dim: An axis, several, or () for all.
        keep_dims: Whether reduced axes stay with size 1.
        dtype: The dtype of the counts; None means int32.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> Tensor([[0, 1], [2, 3]]).count_nonzero(1).asnumpy()
        array([1, 2], dtype=int32)
    """
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
    """Return the sum over axes with NaN counted as 0.

    Args:
        axis, dim: An axis, several, or None for all.
        keepdims, keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to before adding.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> float(Tensor([1.0, np.nan, 2.0]).nansum())
        3.0
    """
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
