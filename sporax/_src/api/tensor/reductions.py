"""Tensor methods of the reductions, whose signatures are their own.

MindSpore's methods take `axis`/`keepdims` (its first generation) and `dim`/`keepdim` (its second), and some results
differ: `x.max(dim=1)` gives values and indices, `x.max(axis=1)` only values, and `x.max(1)` the former in PyNative
mode, the latter in a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from types import EllipsisType
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Axis
from sporax._src.bindings.call_errors import forms
from sporax._src.bindings.tensor_methods import method, methods
from sporax._src.core.dtype import Type, TypeLike
from sporax._src.core.scope import as_graph
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import flag
from sporax._src.ops.array.cast import cast
from sporax._src.ops.math import reduction
from sporax._src.ops.math.arithmetic import add

methods("""
mean(axis=None, keep_dims=False, *, dim=None, keepdim=False, dtype: Any = None) -> \
mean(self if dtype is None else cast(self, dtype), dim if axis is None else axis, keep_dims or keepdim)
    Return the mean over axes, in the Tensor's dtype unless `dtype` says otherwise (integers: rounded towards zero).
    dtype: The dtype to convert to first.
prod(dim=None, keepdim=False, dtype=None, *, axis=None, keep_dims=False) -> \
prod(self, axis if dim is None else dim, keepdim or keep_dims, dtype)
all(axis=None, keep_dims=False, *, dim=None, keepdim=False) -> all(self, dim if axis is None else axis, keep_dims or keepdim)
any(axis=None, keep_dims=False, *, dim=None, keepdim=False) -> any(self, dim if axis is None else axis, keep_dims or keepdim)
amax(axis=None, keepdims=False, *, initial: Any = None, where: Any = None) -> \
amax(self, axis, keepdims, initial=initial, where=where)
amin(axis=None, keepdims=False, *, initial: Any = None, where: Any = None) -> \
amin(self, axis, keepdims, initial=initial, where=where)
argmax(axis: int | None = None, keepdims=False, *, dim: int | None = None, keepdim=False) -> \
argmax(self, dim if axis is None else axis, keepdims or keepdim)
argmin(axis: int | None = None, keepdims=False, *, dim: int | None = None, keepdim=False) -> \
argmin(self, dim if axis is None else axis, keepdims or keepdim)
argmax_with_value(axis: int = 0, keep_dims=False) -> max(self, axis, keep_dims)
    axis: The axis, counted from the end where it is negative.
argmin_with_value(axis: int = 0, keep_dims=False) -> min(self, axis, keep_dims)
    axis: The axis, counted from the end where it is negative.
median(axis: int = -1, keepdims=False, *, dim: int | None = None, keepdim=False) -> \
median(self, axis if dim is None else dim, keepdims or keepdim)
count_nonzero(axis=(), keep_dims=False, dtype=None, *, dim=None) -> \
count_nonzero(self, axis if dim is None else dim, keep_dims, dtype)
nansum(axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None) -> \
nansum(self, dim if axis is None else axis, keepdims or keepdim, dtype=dtype)
std(axis=None, ddof=0, keepdims=False, *, dim=None, correction=None, keepdim=False) -> \
std(self, dim if axis is None else axis, (ddof if dim is None else 0) if correction is None else correction, keepdims or keepdim)
    ddof, correction: The number subtracted from the number n of elements: with `axis` or with `dim`; 0 if None.
var(axis=None, ddof=0, keepdims=False, *, dim=None, correction=None, keepdim=False) -> \
var(self, dim if axis is None else axis, (ddof if dim is None else 1) if correction is None else correction, keepdims or keepdim)
    ddof, correction: The number subtracted from the number n of elements: with `axis` or with `dim`; with `dim` 1 if None.
""")


@method("sum")
def _sum(
    self: Tensor,
    axis: Axis = None,
    keepdim: Any = False,
    keepdims: bool = False,
    initial: object = None,
    *,
    dim: Axis = None,
    dtype: TypeLike | None = None,
) -> Tensor:
    """Return the sum over axes; called as `sum(dim, keepdim, dtype=)` or `sum(axis, dtype, keepdims, initial)`.

    Args:
        axis, dim: An axis, several, or None for all.
        keepdim, keepdims: Whether reduced axes stay with size 1.
        initial: A number that is added.
        dtype: The dtype to convert to before adding, and that of the result; integers add up as int64 if None.

    Raises:
        TypeError: If `initial` is not a number.
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


def _extreme(pair: Callable[..., Any], reduce: Callable[..., Tensor]) -> Callable[..., Any]:
    def over(
        self: Tensor,
        *args: Any,
        dim: int | None = None,
        keepdim: object = ...,
        axis: Axis = None,
        keepdims: Any = ...,
        initial: object = ...,
        where: object = ...,
        return_indices: object = ...,
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


def _check_initial(value: object) -> None:
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
