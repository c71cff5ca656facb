"""Elements picked by their value: the host finds the places, an operator gathers."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.gathering import REF, index_select
from sporax._src.ops.table import composite, internal


def _host(x: Any, name: str) -> np.ndarray:
    if not isinstance(x, Tensor):
        raise TypeError(f"ops.{name}: expected a Tensor, got {type(x).__name__}.")
    return x.asnumpy()


@composite(
    ref=REF + "nonzero",
    cases=("D([[1, 0], [0, 2]])", "D([0, 0], np.int32)"),
    errors=(("D(1.0)", "axis"),),
    jit=False,
    method="nonzero",
    primitive="NonZero()",
)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the (n, ndim) int64 indices of the elements that are not zero; with `as_tuple` one vector per axis.

    The shape depends on the values: in a graph this falls back to PyNative mode.

    Args:
        input: A Tensor of at least 1 axis.
        as_tuple: Whether to return one vector per axis rather than one matrix.

    Raises:
        TypeError: If `input` is no Tensor.
        ValueError: If it is a scalar.

    Examples:
        >>> ops.nonzero(Tensor([[1, 0], [0, 2]])).asnumpy()
        array([[0, 0],
               [1, 1]])
    """
    found = _host(input, "nonzero")
    if found.ndim == 0:
        raise ValueError("ops.nonzero: input must have at least 1 axis, got a scalar.")
    places = [Tensor(p.astype(np.int64)) for p in np.nonzero(found)]
    return tuple(places) if as_tuple else Tensor(np.argwhere(found).astype(np.int64))


@composite(
    ref="numpy.argwhere",
    cases=("D([[1, 0], [0, 2]])",),
    errors=(("T()", "input must have at least 1 axis"),),
    jit=False,
    method="argwhere",
)
def argwhere(input: Tensor) -> Tensor:
    """Return the (n, ndim) int64 indices of the elements that are not zero.

    Args:
        input: A Tensor of at least 1 axis.

    Raises:
        TypeError: If `input` is no Tensor.
        ValueError: If it is a scalar.

    Examples:
        >>> ops.argwhere(Tensor([3, 0, 4])).asnumpy()
        array([[0],
               [2]])
    """
    return nonzero(input)


@composite(
    ref=REF + "masked_select",
    cases=("T(3), D([1, 0, 1], bool)", "T(2, 3), D([[1], [0]], bool)"),
    errors=(("T(3), T(3)", "bool"),),
    jit=False,
    method="masked_select",
    primitive="MaskedSelect()",
)
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the elements of the input where the mask is True, as a vector; shapes broadcast.

    The shape depends on the values: in a graph this falls back to PyNative mode.

    Args:
        input: A Tensor.
        mask: A bool Tensor.

    Raises:
        TypeError: If `mask` holds no booleans.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.masked_select(Tensor([1, 2, 3]), Tensor([True, False, True])).asnumpy()
        array([1, 3])
    """
    chosen = _host(mask, "masked_select")
    if chosen.dtype != np.bool_:
        raise TypeError(f"ops.masked_select: mask must be a bool Tensor, got {mask.dtype}.")
    shape = np.broadcast_shapes(input.shape, mask.shape)
    places = np.flatnonzero(np.broadcast_to(chosen, shape))
    return _pick_flat(input, Tensor(places), shape)


@internal("masked_select")
def _pick_flat(x: Array, places: Array, shape: Static) -> Array:
    return jnp.broadcast_to(x, shape).ravel()[places]


def _first_seen(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of different values in the order of their first appearance, and each value's number."""
    _, first, inverse = np.unique(values.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(order.size)
    return first[order], number[inverse.reshape(values.shape)].astype(np.int32)


@composite(
    ref=REF + "unique",
    cases=("D([3, 1, 2, 1], np.int32)", "D([[3.0, 1.0], [1.0, 3.0]])"),
    errors=(("None", "expected a Tensor"),),
    jit=False,
    primitive="Unique()",
)
def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """Return the different elements in the order of their first appearance, and the number of each element's.

    The shape depends on the values: in a graph this falls back to PyNative mode.

    Args:
        input: A Tensor; its elements are taken in row-major order.

    Returns:
        A vector of the different elements, and the numbers in the shape of input, int64 for int64 elements, else int32.

    Raises:
        TypeError: If `input` is no Tensor.

    Examples:
        >>> values, number = ops.unique(Tensor([3, 1, 3]))
        >>> values.asnumpy(), number.asnumpy()
        (array([3, 1]), array([0, 1, 0]))
    """
    places, number = _first_seen(_host(input, "unique"))
    wide = input.dtype == mstype.int64
    return _pick_flat(input, Tensor(places), input.shape), Tensor(number.astype(np.int64) if wide else number)


@composite(
    ref=REF + "unique_with_pad",
    cases=("D([1, 1, 2, 5], np.int32), 0",),
    errors=(
        ("None, 0", "ops.unique_with_pad: expected a Tensor"),
        ("T(2, 2), 0", "x must be a vector, got shape [2, 2]"),
        ("T(2), 'x'", "pad_num must be a number, got 'x'"),
    ),
    jit=False,
    method="unique_with_pad",
    primitive="UniqueWithPad()",
)
def unique_with_pad(x: Tensor, pad_num: Any) -> tuple[Tensor, Tensor]:
    """Return what `unique` does, the values padded with `pad_num` to the length of the vector x.

    Args:
        x: A Tensor (n,).
        pad_num: What fills up the values, a number.

    Raises:
        TypeError: If `x` is no Tensor, or `pad_num` no number.
        ValueError: If `x` is no vector.

    Examples:
        >>> values, number = ops.unique_with_pad(Tensor([3, 1, 3]), 0)
        >>> values.asnumpy(), number.asnumpy()
        (array([3, 1, 0]), array([0, 1, 0]))
    """
    if _host(x, "unique_with_pad").ndim != 1:
        raise ValueError(f"ops.unique_with_pad: x must be a vector, got shape {list(x.shape)}.")
    filling = pad_num.item() if isinstance(pad_num, Tensor) else pad_num
    if not isinstance(filling, (bool, int, float, np.generic)):
        raise TypeError(f"ops.unique_with_pad: pad_num must be a number, got {pad_num!r}.")
    values, number = unique(x)
    padded = np.full(x.shape, filling, values.asnumpy().dtype)
    padded[: values.size] = values.asnumpy()
    return Tensor(padded), number


@composite(
    ref=REF + "unique_consecutive",
    cases=(
        "D([1, 1, 2, 2, 1], np.int32)",
        "D([1, 1, 2, 2, 1], np.int32), True, True",
        "D([[1, 2], [1, 2], [3, 4]]), False, False, 0",
    ),
    errors=(("None", "expected a Tensor"),),
    jit=False,
    method="unique_consecutive",
    primitive="UniqueConsecutive(return_inverse=False, return_counts=False, dim=None)",
)
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the input without elements (or slices along `dim`) equal to their predecessor.

    Args:
        input: A Tensor; flattened if `dim` is None.
        return_inverse: Also return the int64 number of the result that each element became.
        return_counts: Also return how many elements each result stands for.
        dim: The axis.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.unique_consecutive(Tensor([1, 1, 2, 1])).asnumpy()
        array([1, 2, 1])
    """
    values = _host(input, "unique_consecutive")
    axis = 0 if dim is None else axes.one(dim, values.ndim, "dim")
    rows = values.ravel() if dim is None else np.moveaxis(values, axis, 0)
    rows = rows.reshape(rows.shape[0], -1)
    starts = np.concatenate([[True], (rows[1:] != rows[:-1]).any(1)]) if len(rows) else np.zeros(0, bool)
    places = np.flatnonzero(starts)
    kept = _pick_flat(input, Tensor(places), input.shape) if dim is None else index_select(input, axis, Tensor(places))
    number = np.cumsum(starts) - 1
    out = [kept]
    if return_inverse:
        out.append(Tensor((number.reshape(values.shape) if dim is None else number).astype(np.int64)))
    if return_counts:
        out.append(Tensor(np.diff(np.append(places, len(rows))).astype(np.int64)))
    return out[0] if len(out) == 1 else tuple(out)
