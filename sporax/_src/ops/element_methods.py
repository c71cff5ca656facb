"""Tensor methods on elements whose signatures are their own: gather, scatter, sort, select, unique, ..."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import (
    axes,
    conversion,
    creation,
    diagonals,
    gathering,
    linalg,
    products,
    reduction,
    scattering,
    selection,
    shape,
    sorting,
)
from sporax._src.ops.indexing import setitem
from sporax._src.ops.methods import method
from sporax._src.ops.operators import assign
from sporax._src.ops.table import internal

# --- picking --------------------------------------------------------------------------------------------------------


@method("gather")
def _gather(
    self: Tensor,
    dim: Any = None,
    index: Any = None,
    batch_dims: int = 0,
    *,
    input_indices: Any = None,
    axis: Any = None,
) -> Tensor:
    """Return elements: `gather(dim, index)` as `ops.gather_elements`, `gather(input_indices, axis)` as `ops.gather`."""
    if isinstance(dim, int) and axis is None:
        return gathering.gather_elements(self, dim, index)
    return gathering.gather(
        self, dim if input_indices is None else input_indices, index if axis is None else axis, batch_dims
    )


@method("select")
def _select(self: Tensor, dim: Any, index: Any) -> Tensor:
    """Return the slice number `index` along an axis; with a condition first, `ops.select(condition, self, other)`."""
    if isinstance(dim, Tensor):
        return selection.select(dim, self, index)
    dim = axes.one(dim, self.ndim, "dim")
    return self[(slice(None),) * dim + (index,)]


@method("take")
def _take(self: Tensor, indices: Any, axis: int | None = None, mode: str = "clip") -> Tensor:
    """Return elements of the flattened Tensor, or slices along an axis.

    Args:
        indices: An integer Tensor.
        axis: The axis; None: flatten first.
        mode: What indices out of range become: `"clip"` the nearest, `"wrap"` counted around, `"raise"` zero.
    """
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"Tensor.take: mode must be 'clip', 'wrap' or 'raise', got {mode!r}.")
    return _taken(self, indices, axis, mode)


@internal("Tensor.take")
def _taken(x: Array, indices: Array, axis: Static, mode: Static) -> Array:
    x, along = (jnp.ravel(x), 0) if axis is None else (x, axes.one(axis, x.ndim))
    how = {"clip": {"mode": "clip"}, "wrap": {"mode": "wrap"}, "raise": {"mode": "fill", "fill_value": 0}}[mode]
    return jnp.take(x, gathering.integers(indices), along, **how)


@method("choose")
def _choose(self: Tensor, choices: Any, mode: str = "clip") -> Tensor:
    """Return `choices[self[i]][i]`, indices out of range becoming the nearest (or counted around: `"wrap"`)."""
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"Tensor.choose: mode must be 'clip', 'wrap' or 'raise', got {mode!r}.")
    given = [c if isinstance(c, Tensor) else Tensor(c) for c in choices]
    return _chosen(self, given, mode)


@internal("Tensor.choose")
def _chosen(index: Array, choices: Arrays, mode: Static) -> Array:
    return jnp.choose(index, choices, mode="wrap" if mode == "wrap" else "clip")


@method("diagonal")
def _diagonal(self: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Return the diagonal of the matrices along two axes, as the last axis."""
    return diagonals.diagonal(self, offset, axis1, axis2)


@method("trace")
def _trace(self: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    """Return the sum of the diagonal of the matrices along two axes."""
    total = reduction.sum(diagonals.diagonal(self, offset, axis1, axis2), -1, dtype=self.dtype)
    return total if dtype is None else conversion.cast(total, dtype)


@method("unique")
def _unique(
    self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the different elements (or slices along `dim`) in ascending order; int64 inverse and counts on request."""
    host = self.asnumpy()
    if dim is None:
        host = host.ravel()
    _, first, inverse, counts = np.unique(host, return_index=True, return_inverse=True, return_counts=True, axis=dim)
    kept = gathering.take(self, Tensor(first)) if dim is None else gathering.index_select(self, dim, Tensor(first))
    inverse = inverse.reshape(self.shape if dim is None else -1).astype(np.int64)
    out = (
        kept,
        *((Tensor(inverse),) if return_inverse else ()),
        *((Tensor(counts.astype(np.int64)),) if return_counts else ()),
    )
    return out[0] if len(out) == 1 else out


# --- order ----------------------------------------------------------------------------------------------------------


@method("sort")
def _sort(
    self: Tensor, dim: int = -1, descending: bool = False, stable: bool = False, *, axis: int | None = None
) -> Any:
    """Return the elements in order along an axis, and their int32 indices; equal ones always keep their order."""
    return sorting.sort(self, dim if axis is None else axis, descending)


@method("argsort")
def _argsort(
    self: Tensor, axis: int = -1, descending: bool = False, *, dim: int | None = None, stable: bool = False
) -> Tensor:
    """Return the int32 indices that put the elements in order along an axis; equal ones always keep their order."""
    return sorting.argsort(self, axis if dim is None else dim, descending)


@method("topk")
def _topk(self: Tensor, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True) -> Any:
    """Return the k largest (or smallest) elements along an axis, in order, and their int32 indices."""
    return sorting.topk(self, k, dim, largest, sorted)


@method("searchsorted")
def _searchsorted(self: Tensor, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
    """Return the int32 indices at which values would have to be inserted into this sorted vector."""
    return sorting.searchsorted(
        self, v if isinstance(v, Tensor) else Tensor(v), side=side, sorter=sorter, out_int32=True
    )


# --- putting --------------------------------------------------------------------------------------------------------


@method("scatter")
def _scatter(
    self: Tensor,
    dim: Any = None,
    index: Any = None,
    src: Any = None,
    *,
    axis: int | None = None,
    reduce: str = "none",
    value: Any = None,
) -> Tensor:
    """Return the Tensor with `src` (or one `value`) at the places along an axis that `index` names, or added there."""
    source = src if value is None else value
    if not isinstance(source, Tensor):
        source = creation.full(index.shape, source, dtype=self.dtype)
    if reduce not in ("none", "add"):
        raise ValueError(f"Tensor.scatter: reduce must be 'none' or 'add', got {reduce!r}.")
    put = scattering.scatter if reduce == "none" else lambda x, d, i, s: scattering.scatter_add_along(x, d, i, s)
    return put(self, dim if axis is None else axis, index, source)


@method("scatter_add")
def _scatter_add(
    self: Tensor, dim: Any = None, index: Any = None, src: Any = None, *, indices: Any = None, updates: Any = None
) -> Tensor:
    """Return the Tensor with `src` added along an axis; `scatter_add(indices, updates)` as `ops.tensor_scatter_add`."""
    if isinstance(dim, int) and indices is None:
        return scattering.scatter_add_along(self, dim, index, src)
    return scattering.tensor_scatter_add(
        self, dim if indices is None else indices, index if updates is None else updates
    )


for _how in ("sub", "mul", "div", "max", "min"):
    method(f"scatter_{_how}")(getattr(scattering, f"tensor_scatter_{_how}"))


@method("index_add")
def _index_add(
    self: Tensor,
    dim: Any = None,
    index: Any = None,
    source: Any = None,
    *,
    alpha: Any = 1,
    indices: Any = None,
    y: Any = None,
    axis: int | None = None,
    use_lock: bool = True,
    check_index_bound: bool = True,
) -> Tensor:
    """Return the Tensor with slices added along an axis: `index_add(dim, index, source)` or `(indices, y, axis)`."""
    if isinstance(dim, Tensor) or indices is not None:
        where = dim if indices is None else indices
        what = index if y is None else y
        return scattering.index_add_ext(self, source if axis is None else axis, where, what)
    return scattering.index_add_ext(self, dim, index, source, alpha=alpha)


@method("index_put")
def index_put(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Return the Tensor with `values` put (or added) at a tuple of index Tensors."""
    places = [i if i.dtype != mstype.bool_ else None for i in indices]
    found = [
        p
        for i, p in zip(indices, places, strict=True)
        for p in ([p] if p is not None else gathering.nonzero(i, as_tuple=True))
    ]
    return _put(self, values, found, bool(accumulate))


@internal("Tensor.index_put")
def _put(x: Array, values: Array, indices: Arrays, accumulate: Static) -> Array:
    place = x.at[tuple(indices)]
    return (place.add if accumulate else place.set)(values.astype(x.dtype))


@method("inplace_update")
def _inplace_update(self: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return the Tensor with its rows `indices` replaced by those of v."""
    return scattering.inplace_update(self, v, indices)


@method("itemset")
def _itemset(self: Tensor, *args: Any) -> Tensor:
    """Return the Tensor with one element replaced: `itemset(value)` of a single element, or `itemset(index, value)`."""
    if not 1 <= len(args) <= 2 or not isinstance(args[-1], (bool, int, float)):
        raise TypeError(f"Tensor.itemset: expected (value) or (index, value) with a number, got {args!r:.60}.")
    new = shape.reshape(self, self.shape)
    place = (
        (0,) * self.ndim
        if len(args) == 1
        else np.unravel_index(args[0], self.shape)
        if isinstance(args[0], int)
        else args[0]
    )
    setitem(new, tuple(int(p) for p in place), args[-1])
    return new


# --- in place -------------------------------------------------------------------------------------------------------


def _in_place(name: str, fn: Any) -> None:
    method(name)(lambda self, *args, **kwargs: assign(self, fn(self, *args, **kwargs), name))


def _copied(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    src = src if isinstance(src, Tensor) else Tensor(src)
    return shape.broadcast_to(conversion.cast(src, self.dtype), self.shape)


def flat_put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return the Tensor with values put (or added) at places of it flattened."""
    flat = _put(shape.ravel(self), shape.ravel(source), [shape.ravel(index)], bool(accumulate))
    return shape.reshape(flat, self.shape)


_in_place("copy_", _copied)
_in_place("masked_fill_", scattering.masked_fill)
_in_place("scatter_", _scatter)
_in_place("scatter_add_", _scatter_add)
_in_place("index_add_", _index_add)
_in_place("index_put_", index_put)
_in_place("put_", flat_put)
_in_place("fill_diagonal_", diagonals.fill_diagonal)
_in_place("addmm_", products.addmm)


# --- linear algebra -------------------------------------------------------------------------------------------------


@method("qr")
def _qr(self: Tensor, some: bool = True) -> tuple[Tensor, Tensor]:
    """Return the QR decomposition; square q unless `some`."""
    return linalg.qr(self, "reduced" if some else "complete")


@method("lstsq")
def _lstsq(self: Tensor, A: Tensor) -> Tensor:
    """Return the X of least ‖A·X - self‖."""
    return linalg.lstsq(A, self)


@method("ormqr")
def _ormqr(self: Tensor, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """Return Q·input3, where Q is the orthogonal matrix of these Householder vectors with the scales `input2`."""
    return linalg.ormqr(self, input2, input3, left, transpose)


@method("triangular_solve")
def _triangular_solve(
    self: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """Return (X, A) with A·X = self for triangular A (Aᵀ if `transpose`; a diagonal of ones if `unitriangular`)."""
    return linalg.solve_triangular(A, self, upper, transpose, unitriangular), A
