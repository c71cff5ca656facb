"""Functions of `numpy` that rearrange elements and axes."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Arrays, Axis, Shape
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.numpy_base import NUMPY, asarray, public, row
from sporax._src.ops.table import internal

# --- shape ----------------------------------------------------------------------------------------------------------


@row()
def reshape(x: Array, new_shape: Shape) -> Array:
    """Return the elements in a new shape; one size may be -1.

    Args:
        x: An array-like.
        new_shape: The sizes; one may be -1 and follows from the rest.

    Raises:
        TypeError: If the number of elements does not fit.

    Examples:
        >>> ms.numpy.reshape([[1, 2], [3, 4]], (4,)).asnumpy()
        array([1, 2, 3, 4], dtype=int32)
    """
    return jnp.reshape(x, new_shape)


@row()
def ravel(x: Array) -> Array:
    """Return the elements along one axis.

    Args:
        x: An array-like.

    Examples:
        >>> ms.numpy.ravel([[1, 2], [3, 4]]).asnumpy()
        array([1, 2, 3, 4], dtype=int32)
    """
    return jnp.ravel(x)


@row()
def expand_dims(a: Array, axis: Axis) -> Array:
    """Return the Tensor with new axes of size 1 at the given places of the result.

    Args:
        a: An array-like.
        axis: A place in the result, or a tuple of them.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.expand_dims([1, 2], 0).shape
        (1, 2)
    """
    places = axis if isinstance(axis, tuple) else (axis,)
    return jnp.expand_dims(a, axes.several(places, a.ndim + len(places)))


@row()
def squeeze(a: Array, axis: Axis = None) -> Array:
    """Return the Tensor without its axes of size 1, or without the given ones.

    Args:
        a: An array-like.
        axis: An axis or several, of size 1; None means all of size 1.

    Raises:
        ValueError: If an axis is out of range or has another size.

    Examples:
        >>> ms.numpy.squeeze([[1, 2]]).shape
        (2,)
    """
    return jnp.squeeze(a) if axis is None else jnp.squeeze(a, axes.several(axis, a.ndim))


@row()
def transpose(a: Array, axes: Shape | None = None) -> Array:
    """Return the Tensor with its axes in the given order, or reversed.

    Args:
        a: An array-like.
        axes: The axis of the input that becomes axis 0, 1, ... of the result; None reverses them.

    Examples:
        >>> ms.numpy.transpose([[1, 2, 3]]).shape
        (3, 1)
    """
    return jnp.transpose(a, axes)


@row()
def swapaxes(x: Array, axis1: int, axis2: int) -> Array:
    """Return the Tensor with two axes exchanged.

    Args:
        x: An array-like.
        axis1, axis2: The axes.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.swapaxes(ops.ones((2, 3, 4)), 0, 2).shape
        (4, 3, 2)
    """
    return jnp.swapaxes(x, axes.one(axis1, x.ndim, "axis1"), axes.one(axis2, x.ndim, "axis2"))


@row()
def moveaxis(a: Array, source: Axis, destination: Axis) -> Array:
    """Return the Tensor with axes moved to new places; the others keep their order.

    Args:
        a: An array-like.
        source: An axis or several.
        destination: As many axes: where they go in the result.

    Raises:
        ValueError: If an axis is out of range, or the numbers of axes differ.

    Examples:
        >>> ms.numpy.moveaxis(ops.ones((2, 3, 4)), 0, 2).shape
        (3, 4, 2)
    """
    return jnp.moveaxis(a, axes.several(source, a.ndim, "source"), axes.several(destination, a.ndim, "destination"))


@row()
def rollaxis(x: Array, axis: int, start: int = 0) -> Array:
    """Return the Tensor with `axis` moved back until it lies before `start`.

    Args:
        x: An array-like.
        axis: The axis that is moved.
        start: The axis before which it comes to lie.

    Raises:
        ValueError: If `axis` or `start` is out of range.

    Examples:
        >>> ms.numpy.rollaxis(ops.ones((2, 3, 4)), 2).shape
        (4, 2, 3)
    """
    if not -x.ndim <= start <= x.ndim:
        raise ValueError(f"start must be in [{-x.ndim}, {x.ndim}], got {start}.")
    return jnp.rollaxis(x, axes.one(axis, x.ndim), start)


@row()
def broadcast_to(array: Array, shape: Shape) -> Array:
    """Return the Tensor repeated along axes of size 1 and new leading axes to fill `shape`.

    Args:
        array: An array-like.
        shape: The sizes.

    Raises:
        ValueError: If the array does not broadcast to `shape`.

    Examples:
        >>> ms.numpy.broadcast_to([1, 2], (2, 2)).asnumpy()
        array([[1, 2],
               [1, 2]], dtype=int32)
    """
    return jnp.broadcast_to(array, shape)


@internal("numpy.broadcast_arrays")
def _broadcast_arrays(args: Arrays) -> tuple[Array, ...]:
    return tuple(jnp.broadcast_arrays(*args))


@public()
def broadcast_arrays(*args: Any) -> list[Tensor]:
    """Return the Tensors broadcast against each other.

    Args:
        args: Array-likes that broadcast.

    Returns:
        A list of Tensors of one shape.

    Raises:
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> [t.shape for t in ms.numpy.broadcast_arrays([1, 2], [[3], [4]])]
        [(2, 2), (2, 2)]
    """
    return list(_broadcast_arrays([asarray(a) for a in args]))


def _at_least(name: str, text: str, shape: tuple[int, ...]) -> None:
    @internal(f"numpy.{name}")
    def kernel(arys: Arrays) -> tuple[Array, ...]:
        return tuple([getattr(jnp, name)(a) for a in arys])

    def function(*arys: Any) -> Any:
        out = kernel([asarray(a) for a in arys])
        return out[0] if len(out) == 1 else list(out)

    function.__name__, function.__doc__ = name, _AT_LEAST.format(name=name, text=text, shape=shape)
    NUMPY[name] = function


_AT_LEAST = """{text}

    Args:
        arys: Array-likes.

    Returns:
        A Tensor for one array-like, a list of them for several.

    Examples:
        >>> ms.numpy.{name}([1, 2]).shape
        {shape}
    """

_at_least("atleast_1d", "Return the Tensors, numbers as Tensors with one axis.", (2,))
_at_least("atleast_2d", "Return the Tensors with new leading axes where there are fewer than two.", (1, 2))
_at_least(
    "atleast_3d",
    "Return the Tensors with new axes, as (1, N, 1) and (M, N, 1), where there are fewer than three.",
    (1, 2, 1),
)


@public()
def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements, or the size along one axis.

    Args:
        a: An array-like.
        axis: The axis; None counts all elements.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ms.numpy.size([[1, 2, 3]]), ms.numpy.size([[1, 2, 3]], 1)
        (3, 3)
    """
    a = asarray(a)
    return a.size if axis is None else a.shape[axes.one(axis, a.ndim)]


@public()
def array_str(a: Tensor) -> str:
    """Return the elements as text.

    Args:
        a: A Tensor.

    Raises:
        TypeError: If it is none.

    Examples:
        >>> ms.numpy.array_str(Tensor([1, 2]))
        '[1 2]'
    """
    if not isinstance(a, Tensor):
        raise TypeError(f"numpy.array_str: expected a Tensor, got {type(a).__name__}.")
    return str(a)


# --- order ----------------------------------------------------------------------------------------------------------


@row()
def flip(m: Array, axis: Axis = None) -> Array:
    """Return the elements in reverse order along the given axes, or all.

    Args:
        m: An array-like.
        axis: An axis, several, or None for all.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.flip([[1, 2], [3, 4]]).asnumpy()
        array([[4, 3],
               [2, 1]], dtype=int32)
    """
    return jnp.flip(m, axes.several(axis, m.ndim))


@row()
def fliplr(m: Array) -> Array:
    """Return the elements in reverse order along the second axis.

    Args:
        m: An array-like with at least 2 axes.

    Examples:
        >>> ms.numpy.fliplr([[1, 2], [3, 4]]).asnumpy()
        array([[2, 1],
               [4, 3]], dtype=int32)
    """
    return jnp.fliplr(m)


@row()
def flipud(m: Array) -> Array:
    """Return the elements in reverse order along the first axis.

    Args:
        m: An array-like with at least 1 axis.

    Examples:
        >>> ms.numpy.flipud([[1, 2], [3, 4]]).asnumpy()
        array([[3, 4],
               [1, 2]], dtype=int32)
    """
    return jnp.flipud(m)


@row()
def roll(a: Array, shift: int | Shape, axis: Axis = None) -> Array:
    """Return the elements moved along axes by `shift` places; what leaves at the end enters at the start.

    Args:
        a: An array-like.
        shift: Places to move by, an int or one for each axis.
        axis: An axis or several, one of which may be named again; None moves the flattened array.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ms.numpy.roll([1, 2, 3], 1).asnumpy()
        array([3, 1, 2], dtype=int32)
    """
    over = (axis,) if isinstance(axis, int) else axis
    return jnp.roll(a, shift, None if over is None else tuple([axes.one(n, a.ndim) for n in over]))


@row()
def rot90(a: Array, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Return the planes that two axes span turned by k · 90°, from the first axis to the second.

    Args:
        a: An array-like with at least 2 axes.
        k: How often.
        axes: The two axes.

    Examples:
        >>> ms.numpy.rot90([[1, 2], [3, 4]]).asnumpy()
        array([[2, 4],
               [1, 3]], dtype=int32)
    """
    return jnp.rot90(a, k, axes)
