"""Functions of `numpy` that join and part Tensors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays, Shape, Static
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.numpy_base import NUMPY, asarray, public, row
from sporax._src.ops.table import internal

# --- joining --------------------------------------------------------------------------------------------------------


def _joined(name: str, args: str, text: str, shape: tuple[int, ...]) -> None:
    def of_all(tup: Arrays) -> Array:
        return getattr(jnp, name)(unify(*tup))

    def along(arrays: Arrays, axis: Static = 0) -> Array:
        return getattr(jnp, name)(unify(*arrays), axis)

    joined = of_all if args == "tup" else along
    joined.__name__ = name
    joined.__doc__ = _JOINED.format(name=name, args=args, text=text, shape=shape, axis="" if args == "tup" else _ALONG)
    row(name)(joined)


_JOINED = """{text}

    Args:
        {args}: A sequence of array-likes, whose other sizes are equal; their dtypes meet.{axis}

    Examples:
        >>> ms.numpy.{name}(([1, 2], [3, 4])).shape
        {shape}
    """
_ALONG = "\n        axis: The axis, counted from the end where it is negative."

_joined("column_stack", "tup", "Return vectors as columns, and matrices side by side, in one matrix.", (2, 2))
_joined("hstack", "tup", "Return the Tensors joined along the second axis (vectors along the first).", (4,))
_joined("vstack", "tup", "Return the Tensors joined along the first axis; vectors are rows.", (2, 2))
_joined("dstack", "tup", "Return the Tensors joined along the third axis.", (1, 2, 2))
_joined("stack", "arrays", "Return the Tensors side by side along a new axis.", (2, 2))
_joined("concatenate", "arrays", "Return the Tensors joined along an axis; flattened first if it is None.", (4,))


@public()
def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """Return `arr` with `values` after it along an axis; both are flattened first if it is None.

    Args:
        arr: An array-like.
        values: An array-like with as many axes, and the sizes of `arr` but along `axis`.
        axis: The axis; None flattens both.

    Raises:
        ValueError: If the numbers of axes differ.

    Examples:
        >>> ms.numpy.append([1, 2], [3]).asnumpy()
        array([1, 2, 3], dtype=int32)
    """
    arr, values = asarray(arr), asarray(values)
    if axis is not None and arr.ndim != values.ndim:
        raise ValueError(
            f"numpy.append: arr and values must have the same number of axes, got {arr.ndim} and {values.ndim}."
        )
    return NUMPY["concatenate"]((arr, values), axis)


@row()
def tile(a: Array, reps: Shape) -> Array:
    """Return the Tensor repeated as a whole, `reps` times along each axis.

    Args:
        a: An array-like.
        reps: How often along each axis, an int or several.

    Examples:
        >>> ms.numpy.tile([1, 2], (2, 2)).asnumpy()
        array([[1, 2, 1, 2],
               [1, 2, 1, 2]], dtype=int32)
    """
    return jnp.tile(a, reps)


@row()
def repeat(a: Array, repeats: Static, axis: Static = None) -> Array:
    """Return the elements, each repeated, along an axis; flattened first if it is None.

    Args:
        a: An array-like.
        repeats: How often: an int, or one for each element along the axis.
        axis: The axis; None flattens the array.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.repeat([1, 2], [1, 2]).asnumpy()
        array([1, 2, 2], dtype=int32)
    """
    counts = np.asarray(repeats)
    size = a.size if axis is None else a.shape[axes.one(axis, a.ndim)]
    total = int(counts.sum()) if counts.size > 1 else int(counts.reshape(-1)[0]) * size
    return jnp.repeat(a, jnp.asarray(counts), axis, total_repeat_length=total)


# --- splitting ------------------------------------------------------------------------------------------------------


@internal("numpy.split")
def _split(x: Array, sections: Static, axis: int, even: bool) -> tuple[Array, ...]:
    axis = axes.one(axis, x.ndim)
    if isinstance(sections, int) and (sections < 1 or (even and x.shape[axis] % sections)):
        raise ValueError(f"axis {axis} of size {x.shape[axis]} does not split evenly into {sections} sections.")
    return tuple(jnp.array_split(x, sections, axis))


def _splitter(name: str, axis: int) -> None:
    def splitter(x: Any, indices_or_sections: Any) -> tuple[Tensor, ...]:
        x = asarray(x)
        return _split(x, indices_or_sections, 0 if name == "hsplit" and x.ndim == 1 else axis, True)

    splitter.__name__, splitter.__doc__ = name, _SPLITTER.format(name=name, axis=axis, count=axis + 1)
    NUMPY[name] = splitter


@public()
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the Tensor in so many equal parts along an axis, or cut at the given indices.

    Args:
        x: An array-like.
        indices_or_sections: The number of equal parts, or a tuple of indices to cut before.
        axis: The axis, counted from the end where it is negative.

    Raises:
        ValueError: If equal parts are not possible.

    Examples:
        >>> [t.tolist() for t in ms.numpy.split([1, 2, 3, 4], 2)]
        [[1, 2], [3, 4]]
    """
    return _split(asarray(x), indices_or_sections, axis, True)


@public()
def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the Tensor in so many parts along an axis; the first ones are longer if equal parts are not possible.

    Args:
        x: An array-like.
        indices_or_sections: The number of parts, or a tuple of indices to cut before.
        axis: The axis, counted from the end where it is negative.

    Returns:
        A tuple of Tensors.

    Raises:
        ValueError: If the number of parts is not positive, or the axis is out of range.

    Examples:
        >>> [t.tolist() for t in ms.numpy.array_split([1, 2, 3], 2)]
        [[1, 2], [3]]
    """
    return _split(asarray(x), indices_or_sections, axis, False)


_SPLITTER = """Return the Tensor in so many equal parts along axis {axis}, or cut at the given indices.

    Args:
        x: An array-like with at least {count} axes (for `hsplit`, a vector too).
        indices_or_sections: The number of equal parts, or a tuple of indices to cut before.

    Raises:
        ValueError: If equal parts are not possible.

    Examples:
        >>> len(ms.numpy.{name}(ops.ones((2, 2, 2)), 2))
        2
    """

_splitter("vsplit", 0)
_splitter("hsplit", 1)
_splitter("dsplit", 2)
