"""Functions of `mint` about order: extremes, sorting and different elements."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import PUBLIC, axes
from sporax._src.ops.conversion import cast
from sporax._src.ops.numpy_elementwise_limits import larger, smaller
from sporax._src.ops.table import internal


def _overloaded(name: str, pairwise: Any) -> Any:
    whole, along = PUBLIC["a" + name], PUBLIC[name]

    def function(input: Tensor, *args: Any, **kwargs: Any) -> Any:
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
    """Return the smallest elements up to each place along `dim`, and their indices.

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
    values, places = PUBLIC["cummin"](input, dim)
    return values, cast(places, mstype.int64)


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
    values, places = PUBLIC["topk"](input, k, dim, largest, sorted)
    return values, cast(places, mstype.int64)


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
        return_inverse: Whether to return, too, for each element its place among the different ones.
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
