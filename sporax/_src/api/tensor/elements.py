"""Tensor methods on elements whose signatures are their own: gather, take, select, sort, qr, and writing elements."""

from __future__ import annotations

import inspect
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.api.tensor.operators import assign
from sporax._src.base.errors import describe
from sporax._src.base.typing import Array, Arrays, Static, TensorArray
from sporax._src.bindings.call_errors import forms
from sporax._src.bindings.tensor_methods import method, methods
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import shaped
from sporax._src.engine.table import internal
from sporax._src.ops.array import cast, creation, gather, scatter, selection, shape
from sporax._src.ops.array.assign import value_of
from sporax._src.ops.array.gather import integers
from sporax._src.ops.array.indexing import setitem
from sporax._src.ops.linalg import diagonals, linalg, products
from sporax._src.ops.math import reduction


def as_tensor(value: object) -> Tensor:
    """Return a Tensor as it is, anything else as one."""
    return value if isinstance(value, Tensor) else Tensor(value)


methods(
    """
index_select(axis: Any = None, index: Any = None, *, dim: Any = None) -> index_select(self, axis if dim is None else dim, index)
    (dim: int, index: TensorArray)
    (axis: int, index: TensorArray)
diagonal(offset=0, axis1=0, axis2=1) -> diagonal(self, offset, axis1, axis2)
sort(dim=-1, descending=False, stable: bool = False, *, axis=None) -> sort(self, dim if axis is None else axis, descending)
    stable: Accepted: equal elements always keep their order.
argsort(axis=-1, descending=False, *, dim=None, stable: bool = False) -> \
argsort(self, axis if dim is None else dim, descending)
    stable: Accepted: equal elements always keep their order.
topk(k: int, dim=None, largest=True, sorted=True) -> topk(self, k, dim, largest, sorted)
searchsorted(v: Any, side: str = "left", sorter: Any = None) -> \
searchsorted(self, as_tensor(v), side=side, sorter=sorter, out_int32=True)
    Return the int32 indices at which values would have to be inserted to keep this sorted vector sorted.
    side: Where values that are there already go: `"left"` before them, `"right"` after.
    ValueError: If `side` is another, or the leading axes differ.
qr(some: bool = True) -> qr(self, "reduced" if some else "complete")
    Return (q, r) with the Tensor = q·r, q orthonormal and r upper triangular; q is square unless `some`.
    some: Whether q has as many columns as this matrix.
ormqr(input2: Tensor, input3: Tensor, left=True, transpose=False) -> ormqr(self, input2, input3, left, transpose)
    Return Q·input3 (or input3·Q), where Q is the orthogonal matrix of these Householder vectors; Qᴴ if `transpose`.
inplace_update(v: Tensor, indices: Any) -> inplace_update(self, v, indices)
    Return a new Tensor with the rows `indices` replaced by those of v; this one stays as it is.
    indices: An int or several: rows of this Tensor.
""",
    as_tensor=as_tensor,
)

# --- picking --------------------------------------------------------------------------------------------------------


@method("gather")
def _gather(
    self: Tensor,
    dim: object = None,
    index: Any = None,
    batch_dims: int = 0,
    *,
    input_indices: object = None,
    axis: Any = None,
) -> Tensor:
    """Return elements: `gather(dim, index)` as `ops.gather_elements`, `gather(input_indices, axis)` as `ops.gather`.

    Args:
        dim, index: An axis and an integer Tensor, one element for each; or `input_indices` and `axis`.
        batch_dims: The number of leading axes that the Tensor and `input_indices` share.
        input_indices: An integer Tensor of slices.
        axis: The axis of these slices.

    Raises:
        TypeError: If the indices are no integers.
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> x = Tensor([[1, 2], [3, 4]])
        >>> x.gather(1, Tensor([[1], [0]])).asnumpy(), x.gather(Tensor([1]), 0).asnumpy()
        (array([[2],
               [3]]), array([[3, 4]]))
    """
    if isinstance(dim, int) and axis is None:
        return gather.gather_elements(self, dim, index)
    return gather.gather(
        self, dim if input_indices is None else input_indices, index if axis is None else axis, batch_dims
    )


@method("select")
def _select(
    self: Tensor, dim: object = None, index: object = None, *, condition: object = None, y: object = None
) -> Tensor:
    """Return the slice number `index` along an axis; or, called as `select(condition, y)`, y where no condition holds.

    Args:
        dim: The axis.
        index: An int.
        condition: A bool Tensor.
        y: A Tensor; an int where this Tensor is of int32, a float where it is of float32.

    Raises:
        TypeError: If the axis or `index` is not an int, or `y` is a number of another dtype.
        ValueError: If the axis is out of range.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).select(0, 1).asnumpy()
        array([3, 4])
    """
    condition = dim if condition is None else condition
    if isinstance(condition, Tensor):
        return selection.select(condition, self, _elsewhere(self, index if y is None else y))
    if not isinstance(index, (int, np.integer)):
        raise TypeError(f"Tensor.select: index must be an int, got {describe(index)}.")
    dim = axes.one(dim, self.ndim, "dim")
    return self[(slice(None),) * dim + (index,)]


forms("select", of=("dim: int, index: int", "condition: TensorArray, y: Array"))


def _elsewhere(x: Tensor, y: object) -> Any:
    """Return the values for elements where a condition does not hold: a number must be of the Tensor's kind."""
    for kind, dtype in ((int, mstype.int32), (float, mstype.float32)):
        if isinstance(y, kind) and x.dtype != dtype:
            raise TypeError(
                f"For 'Tensor.select', if the argument 'y' is {kind.__name__}, then the tensor type should be "
                f"{str(dtype).lower()} but got {x.dtype}"
            )
    return y


@method("take")
def _take(self: Tensor, indices: object, axis: int | None = None, mode: str = "clip") -> Tensor:
    """Return elements of the flattened Tensor, or slices along an axis.

    Args:
        indices: An integer Tensor.
        axis: The axis; None: flatten first.
        mode: What indices out of range become: `"clip"` the nearest, `"wrap"` counted around, `"raise"` zero; those
            from -size on count from the end.

    Raises:
        ValueError: If `mode` is another.

    Examples:
        >>> Tensor([1, 2, 3]).take(Tensor([0, 5])).asnumpy()
        array([1, 3])
    """
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"Tensor.take: mode must be 'clip', 'wrap' or 'raise', got {mode!r}.")
    return _take_flat(self, indices, axis, mode)


@internal("Tensor.take")
def _take_flat(x: Array, indices: Array, axis: Static, mode: Static) -> Array:
    x, along = (jnp.ravel(x), 0) if axis is None else (x, axes.one(axis, x.ndim))
    indices, size = gather.integers(indices), x.shape[along]
    if mode == "clip":
        indices = jnp.clip(indices, -size, size - 1)
    return jnp.take(x, indices, along, mode="wrap" if mode == "wrap" else "fill", fill_value=0)


@method("choose")
def _choose(self: Tensor, choices: Any, mode: str = "clip") -> Tensor:
    """Return `choices[self[i]][i]`, indices out of range becoming the nearest (or counted around: `"wrap"`).

    Args:
        choices: Tensors or sequences that broadcast against this Tensor.
        mode: What indices out of range become.

    Raises:
        ValueError: If `mode` is another.

    Examples:
        >>> Tensor([0, 1]).choose([[1, 2], [10, 20]]).asnumpy()
        array([ 1, 20])
    """
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"Tensor.choose: mode must be 'clip', 'wrap' or 'raise', got {mode!r}.")
    return _chosen(self, [as_tensor(c) for c in choices], mode)


@internal("Tensor.choose")
def _chosen(index: Array, choices: Arrays, mode: Static) -> Array:
    return jnp.choose(index, choices, mode="wrap" if mode == "wrap" else "clip")


@method("trace")
def _trace(
    self: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: mstype.TypeLike | None = None
) -> Tensor:
    """Return the sum of the diagonal of the matrices along two axes.

    Args:
        offset: The diagonal: 0 the main one, positive above it.
        axis1, axis2: The axes of the rows and columns.
        dtype: The dtype of the result; None keeps that of the Tensor.

    Raises:
        ValueError: If the Tensor has fewer than 2 axes or an axis is out of range.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).trace().asnumpy()
        array(5)
    """
    total = reduction.sum(diagonals.diagonal(self, offset, axis1, axis2), -1, dtype=self.dtype)
    return total if dtype is None else cast.cast(total, dtype)


@method("unique")
def _unique(
    self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the different elements (or slices along `dim`) in ascending order; int64 inverse and counts on request.

    They are computed on the host: in a graph this falls back to PyNative mode.

    Args:
        sorted: Accepted: the elements are always in order.
        return_inverse: Whether to return which of them each element is.
        return_counts: Whether to return how often each occurs.
        dim: The axis; None: flatten first.

    Examples:
        >>> values, counts = Tensor([3, 1, 3]).unique(return_counts=True)
        >>> values.asnumpy(), counts.asnumpy()
        (array([1, 3]), array([1, 2]))
    """
    host = self.asnumpy()
    if dim is None:
        host = host.ravel()
    _, first, inverse, counts = np.unique(host, return_index=True, return_inverse=True, return_counts=True, axis=dim)
    elements = gather.take(self, Tensor(first)) if dim is None else gather.index_select(self, dim, Tensor(first))
    inverse = inverse.reshape(self.shape if dim is None else -1).astype(np.int64)
    out = (
        elements,
        *((Tensor(inverse),) if return_inverse else ()),
        *((Tensor(counts.astype(np.int64)),) if return_counts else ()),
    )
    return out[0] if len(out) == 1 else out


# --- linear algebra -------------------------------------------------------------------------------------------------


@method("triangular_solve")
def _triangular_solve(
    self: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """Return (X, A) with A·X = self for triangular A (Aᵀ if `transpose`; a diagonal of ones if `unitriangular`).

    Args:
        A: Square triangular matrices.
        upper: Whether they are upper triangular.
        transpose: Whether Aᵀ takes the place of A.
        unitriangular: Whether the diagonal counts as ones.

    Examples:
        >>> x, _ = Tensor([[2.0], [4.0]]).triangular_solve(Tensor([[2.0, 0.0], [0.0, 4.0]]))
        >>> x.asnumpy()
        array([[1.],
               [1.]], dtype=float32)
    """
    return linalg.solve_triangular(A, self, upper, transpose, unitriangular), A


@method("index")
def _index(self: Tensor, indices: tuple[Tensor, ...]) -> Tensor:
    """Return a copy of the elements at a tuple of index Tensors.

    Args:
        indices: A tuple or list of integer Tensors, which broadcast, one for each leading axis; or of bool Tensors.

    Raises:
        TypeError: If `indices` is something else.
        IndexError: If an index is out of range.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).index((Tensor([0, 1]), Tensor([1, 0]))).asnumpy()
        array([2, 3])
    """
    if not isinstance(indices, (list, tuple)) or not all(isinstance(i, Tensor) for i in indices):
        raise TypeError(f"Tensor.index: indices must be a tuple of Tensors, got {describe(indices)}.")
    picked = self[tuple(indices)]
    return picked if picked._view is None else value_of(picked)


# --- putting --------------------------------------------------------------------------------------------------------


@method("scatter")
def _scatter(
    self: Tensor,
    dim: Any = None,
    index: Any = None,
    src: object = None,
    *,
    axis: int | None = None,
    reduce: str = "none",
    value: object = None,
) -> Tensor:
    """Return the Tensor with `src` (or one `value`) at the indices along an axis that `index` names, or added there.

    Args:
        dim: The axis.
        index: An integer Tensor of indices along it.
        src: A Tensor of the shape of index, or a number.
        axis: Another name of `dim`.
        reduce: `"none"` puts, `"add"` adds.
        value: One number for all indices, instead of `src`.

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
    put = scatter.scatter if reduce == "none" else lambda x, d, i, s: scatter.scatter_add_along(x, d, i, s)
    return put(self, dim if axis is None else axis, index, source)


@method("scatter_add")
def _scatter_add(
    self: Tensor,
    dim: object = None,
    index: object = None,
    src: object = None,
    *,
    indices: object = None,
    updates: object = None,
) -> Tensor:
    """Return the Tensor with `src` added along an axis; `scatter_add(indices, updates)` as `ops.tensor_scatter_add`.

    Args:
        dim, index: An axis and an integer Tensor of indices along it; or `indices` and `updates`.
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
        return scatter.scatter_add_along(self, dim, index, src)
    return scatter.tensor_scatter_add(self, dim if indices is None else indices, index if updates is None else updates)


for _how in ("sub", "mul", "div", "max", "min"):
    method(f"scatter_{_how}")(getattr(scatter, f"tensor_scatter_{_how}"))


@method("index_add")
def _index_add(
    self: Tensor,
    dim: Any = None,
    index: object = None,
    source: Any = None,
    *,
    alpha: object = 1,
    indices: object = None,
    y: object = None,
    axis: int | None = None,
    use_lock: bool = True,
    check_index_bound: bool = True,
) -> Tensor:
    """Return the Tensor with slices added along an axis: `index_add(dim, index, source)` or `(indices, y, axis)`.

    Args:
        dim, index: An axis and a vector of indices along it; or `indices` and `axis`.
        source: A Tensor of slices, the axis with that of `indices`.
        alpha: The factor of `source`.
        indices, y, axis: The vector of indices, the slices, and the axis.
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
        return scatter.index_add_ext(self, source if axis is None else axis, where, what)
    return scatter.index_add_ext(self, dim, index, source, alpha=alpha)


@method("index_put")
def index_put(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Return the Tensor with `values` put (or added) at a tuple of index Tensors.

    Args:
        indices: A tuple of integer Tensors, one for each leading axis, or of bool Tensors.
        values: A Tensor that broadcasts to the indexed elements.
        accumulate: Whether values are added to what is there.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).index_put((Tensor([0, 1]), Tensor([1, 0])), Tensor([8, 9])).asnumpy()
        array([[1, 8],
               [9, 4]])
    """
    positions = [
        position
        for index in indices
        for position in (gather.nonzero(index, as_tuple=True) if index.dtype == mstype.bool_ else [index])
    ]
    return _put(self, values, positions, bool(accumulate))


@internal("Tensor.index_put")
def _put(x: Array, values: Array, indices: Arrays, accumulate: Static) -> Array:
    target = x.at[tuple([gather.integers(i) for i in indices])]
    return (target.add if accumulate else target.set)(values.astype(x.dtype))


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
    new = value_of(self)
    index = (
        (0,) * self.ndim
        if len(args) == 1
        else np.unravel_index(args[0], self.shape)
        if isinstance(args[0], int)
        else args[0]
    )
    setitem(new, tuple(int(p) for p in index), args[-1])
    return new


# --- in place -------------------------------------------------------------------------------------------------------


def _in_place(name: str, fn: Any) -> None:
    def change(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return assign(self, fn(self, *args, **kwargs), name)

    change.__doc__ = f"Give this Tensor itself the values that follow, and return it.\n\n{inspect.getdoc(fn)}"
    method(name)(change)


def _copied(self: Tensor, src: object, non_blocking: bool = False) -> Tensor:
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
    return shape.broadcast_to(cast.cast(as_tensor(src), self.dtype), self.shape)


def flat_put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return the Tensor with values put (or added) at indices of it flattened."""
    if source.size != index.size:
        raise ValueError(f"put_: source must have as many elements as index, {index.size}, got {source.size}.")
    flat = _put(shape.ravel(self), shape.ravel(source), [shape.ravel(index)], bool(accumulate))
    return shape.reshape(flat, self.shape)


@internal("Tensor.index_copy_", lambda x, index, source, dim: [("index", index, x.shape[dim])])
def _put_slices(x: Array, index: Array, source: Array, dim: int) -> Array:
    index = integers(index, "index").reshape(-1)
    source = shaped(source, (*x.shape[:dim], *index.shape, *x.shape[dim + 1 :]), "tensor")
    return x.at[(slice(None),) * dim + (index,)].set(source)


def _index_copied(self: Tensor, dim: int, index: TensorArray, tensor: TensorArray) -> Tensor:
    """Return the Tensor with the slices of `tensor` along `dim` at an index; of several at one place, the last stays.

    Args:
        dim: The axis of the slices.
        index: A 1-D integer Tensor: where each slice of `tensor` goes.
        tensor: A Tensor of this one's dtype, and of its shape but for len(index) along `dim`.

    Raises:
        TypeError: If `index` holds no integers, or the dtypes differ.
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> Tensor([1, 2, 3]).index_copy_(0, Tensor([2, 0]), Tensor([8, 9])).asnumpy()
        array([9, 2, 8])
    """
    if tensor.dtype != self.dtype:
        raise TypeError(f"Tensor.index_copy_: tensor must have the dtype {self.dtype}, got {tensor.dtype}.")
    return _put_slices(self, index, tensor, axes.one(dim, self.ndim, "dim"))


def _index_filled(self: Tensor, dim: int, index: TensorArray, value: Array) -> Tensor:
    """Return the Tensor with the slices along `dim` at an index filled with one value.

    Args:
        dim: The axis of the slices.
        index: An integer Tensor with at most one axis: the numbers of the slices.
        value: A number, or a Tensor without axes.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If the axis is out of range, or `index` or `value` has more axes.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).index_fill_(1, Tensor([0]), 9).asnumpy()
        array([[9, 2],
               [9, 4]])
    """
    for name, given, most in (("index", index, 1), ("value", value, 0)):
        if isinstance(given, Tensor) and given.ndim > most:
            raise ValueError(f"Tensor.index_fill_: {name} must have at most {most} axes, got {describe(given)}.")
    return scatter.index_fill(self, dim, index, value)


_in_place("index_copy_", _index_copied)
_in_place("index_fill_", _index_filled)
_in_place("masked_scatter_", scatter.masked_scatter)
_in_place("copy_", _copied)
_in_place("masked_fill_", scatter.masked_fill)
_in_place("scatter_", _scatter)
_in_place("scatter_add_", _scatter_add)
_in_place("index_add_", _index_add)
_in_place("index_put_", index_put)
_in_place("put_", flat_put)
_in_place("fill_diagonal_", diagonals.fill_diagonal)
_in_place("addmm_", products.addmm)
