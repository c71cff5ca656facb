"""Methods of Tensor that put values into it, in a new Tensor or in place."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from sporax._src.base.typing import Array, Arrays, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import (
    conversion,
    creation,
    diagonals,
    gathering,
    gathering_values,
    products_affine,
    scattering,
    scattering_slices,
    shape,
    shape_repeats,
)
from sporax._src.ops.indexing import setitem
from sporax._src.ops.methods import method
from sporax._src.ops.operators import assign
from sporax._src.ops.table import internal

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
    """Return the Tensor with `src` (or one `value`) at the places along an axis that `index` names, or added there.

    Args:
        dim: The axis.
        index: An integer Tensor of places along it.
        src: A Tensor of the shape of index, or a number.
        axis: Another name of `dim`.
        reduce: `"none"` puts, `"add"` adds.
        value: One number for all places, in the place of `src`.

    Raises:
        ValueError: If `reduce` is another or the axis is out of range.

    Examples:
        >>> Tensor([1, 2, 3]).scatter(0, Tensor([0, 2]), Tensor([8, 9])).asnumpy()
        array([8, 2, 9])
    """
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
    """Return the Tensor with `src` added along an axis; `scatter_add(indices, updates)` as `ops.tensor_scatter_add`.

    Args:
        dim, index: An axis and an integer Tensor of places along it; or `indices` and `updates`.
        src: A Tensor of the shape of index.
        indices: An integer Tensor of index vectors along the last axis.
        updates: A Tensor of slices.

    Raises:
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> Tensor([1, 2, 3]).scatter_add(0, Tensor([0, 0]), Tensor([8, 9])).asnumpy()
        array([18,  2,  3])
    """
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
    """Return the Tensor with slices added along an axis: `index_add(dim, index, source)` or `(indices, y, axis)`.

    Args:
        dim, index: An axis and a vector of places along it; or `indices` and `axis`.
        source: A Tensor of slices, the axis with the place of `indices`.
        alpha: The factor of `source`.
        indices, y, axis: The vector of places, the slices, and the axis.
        use_lock, check_index_bound: Accepted: updates do not race, indices out of range are dropped.

    Raises:
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> Tensor([1, 2, 3]).index_add(0, Tensor([0, 2]), Tensor([10, 20])).asnumpy()
        array([11,  2, 23])
    """
    if isinstance(dim, Tensor) or indices is not None:
        where = dim if indices is None else indices
        what = index if y is None else y
        return scattering_slices.index_add_ext(self, source if axis is None else axis, where, what)
    return scattering_slices.index_add_ext(self, dim, index, source, alpha=alpha)


@method("index_put")
def index_put(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Return the Tensor with `values` put (or added) at a tuple of index Tensors.

    Args:
        indices: A tuple of integer Tensors, one for each leading axis, or of bool Tensors.
        values: A Tensor that broadcasts to the places.
        accumulate: Whether values are added to what is there.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).index_put((Tensor([0, 1]), Tensor([1, 0])), Tensor([8, 9])).asnumpy()
        array([[1, 8],
               [9, 4]])
    """
    places = [i if i.dtype != mstype.bool_ else None for i in indices]
    found = [
        p
        for i, p in zip(indices, places, strict=True)
        for p in ([p] if p is not None else gathering_values.nonzero(i, as_tuple=True))
    ]
    return _put(self, values, found, bool(accumulate))


@internal("Tensor.index_put")
def _put(x: Array, values: Array, indices: Arrays, accumulate: Static) -> Array:
    place = x.at[tuple([gathering.integers(i) for i in indices])]
    return (place.add if accumulate else place.set)(values.astype(x.dtype))


@method("inplace_update")
def _inplace_update(self: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return the Tensor with its rows `indices` replaced by those of v.

    Args:
        v: A Tensor of as many rows as indices.
        indices: An int or a tuple of ints.

    Returns:
        A new Tensor: this one stays as it is.

    Examples:
        >>> Tensor([1, 2, 3]).inplace_update(Tensor([9]), 1).asnumpy()
        array([1, 9, 3])
    """
    return scattering_slices.inplace_update(self, v, indices)


@method("itemset")
def _itemset(self: Tensor, *args: Any) -> Tensor:
    """Return the Tensor with one element replaced: `itemset(value)` of a single element, or `itemset(index, value)`.

    Args:
        *args: The value, a number; before it the index of the flattened Tensor, or one index for each axis.

    Returns:
        A new Tensor: this one stays as it is.

    Raises:
        TypeError: If other arguments are given.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).itemset((1, 0), 9).asnumpy()
        array([[1, 2],
               [9, 4]])
    """
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
    def change(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return assign(self, fn(self, *args, **kwargs), name)

    change.__doc__ = f"Give this Tensor itself the values that follow, and return it.\n\n{inspect.getdoc(fn)}"
    method(name)(change)


def _copied(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Return `src` in the shape and dtype of this Tensor.

    Args:
        src: A Tensor or number that broadcasts to the shape.
        non_blocking: Accepted: nothing blocks.

    Raises:
        ValueError: If it does not broadcast.

    Examples:
        >>> Tensor([1, 2]).copy_(Tensor([9.0])).asnumpy()
        array([9, 9])
    """
    src = src if isinstance(src, Tensor) else Tensor(src)
    return shape_repeats.broadcast_to(conversion.cast(src, self.dtype), self.shape)


def flat_put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return the Tensor with values put (or added) at places of it flattened."""
    if source.size != index.size:
        raise ValueError(f"put_: source must have as many elements as index, {index.size}, got {source.size}.")
    flat = _put(shape.ravel(self), shape.ravel(source), [shape.ravel(index)], bool(accumulate))
    return shape.reshape(flat, self.shape)


_in_place("copy_", _copied)
_in_place("masked_fill_", scattering_slices.masked_fill)
_in_place("scatter_", _scatter)
_in_place("scatter_add_", _scatter_add)
_in_place("index_add_", _index_add)
_in_place("index_put_", index_put)
_in_place("put_", flat_put)
_in_place("fill_diagonal_", diagonals.fill_diagonal)
_in_place("addmm_", products_affine.addmm)
