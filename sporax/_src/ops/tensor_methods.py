"""Tensor methods whose signatures are their own: views and orders of the axes, pieces."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.core.tensor import Tensor
from sporax._src.ops import elementwise_rounding, joining_splits
from sporax._src.ops import shape as _shape
from sporax._src.ops.callings import forms
from sporax._src.ops.methods import method, prop
from sporax._src.ops.table import internal


def sizes_of(args: tuple[Any, ...]) -> Any:
    """Return sizes or axes that were given one by one or as one sequence."""
    return args[0] if len(args) == 1 and isinstance(args[0], (tuple, list, Tensor)) else args


# --- shape ----------------------------------------------------------------------------------------------------------


@method("reshape")
def _reshape(self: Tensor, *shape_: Any, shape: Any = None) -> Tensor:
    """Return the elements in row-major order under another shape, given as ints or as a tuple.

    Args:
        shape_, shape: The sizes; one may be -1 and follows from the rest.

    Raises:
        ValueError: If the number of elements does not fit, or more than one size is -1.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).reshape(4).asnumpy()
        array([1, 2, 3, 4])
    """
    return _shape.reshape(self, sizes_of(shape_) if shape is None else shape)


forms("reshape", of=("*shape: int", "shape: Shape"))


@method("view")
def _view(self: Tensor, *shape: Any) -> Tensor:
    """Return the elements in row-major order under another shape, given as ints or as a tuple.

    Args:
        shape: The sizes; one may be -1 and follows from the rest.

    Raises:
        ValueError: If the number of elements does not fit, or more than one size is -1.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).view(-1).asnumpy()
        array([1, 2, 3, 4])
    """
    return _shape.reshape(self, sizes_of(shape))


@method("reshape_as", "view_as")
def _reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the elements under the shape of another Tensor.

    Args:
        other: A Tensor with as many elements.

    Raises:
        ValueError: If the number of elements differs.

    Examples:
        >>> Tensor([1, 2, 3, 4]).reshape_as(ops.ones((2, 2))).asnumpy()
        array([[1, 2],
               [3, 4]])
    """
    return _shape.reshape(self, other.shape)


@internal("Tensor.resize")
def _resized(x: Array, sizes: Static) -> Array:
    wanted = math.prod(sizes)
    flat = jnp.ravel(x)[:wanted]
    return jnp.concatenate([flat, jnp.zeros(wanted - flat.size, x.dtype)]).reshape(sizes)


@method("resize")
def _resize(self: Tensor, *new_shape: Any) -> Tensor:
    """Return the elements under a shape that may be larger (filled with zeros) or smaller.

    Args:
        new_shape: The sizes, ints or a tuple.

    Examples:
        >>> Tensor([1, 2]).resize(3).asnumpy()
        array([1, 2, 0])
    """
    return _resized(self, tuple(sizes_of(new_shape)))


@method("transpose")
def _transpose(self: Tensor, *axes: Any) -> Tensor:
    """Return the Tensor with two axes exchanged (two ints), or with its axes in another order, or reversed.

    Args:
        axes: Two axes, or all of them in their new order (ints or a tuple), or none.

    Raises:
        ValueError: If an axis is out of range, or not each is named once.

    Examples:
        >>> ops.ones((2, 3, 4)).transpose(2, 0, 1).shape
        (4, 2, 3)
    """
    given = sizes_of(axes)
    if len(axes) == 2:
        return _shape.swapaxes(self, *axes)
    return _shape.transpose(
        self, tuple(given) if len(given) and given[0] is not None else tuple(reversed(range(self.ndim)))
    )


@method("permute")
def _permute(self: Tensor, *axis: Any) -> Tensor:
    """Return the Tensor with its axes in another order, or reversed if none is given.

    Args:
        axis: The axis that becomes axis 0, 1, ... of the result: ints or a tuple.

    Raises:
        ValueError: If not each axis is named once.

    Examples:
        >>> ops.ones((2, 3, 4)).permute(2, 0, 1).shape
        (4, 2, 3)
    """
    return _shape.transpose(self, tuple(sizes_of(axis)) or tuple(reversed(range(self.ndim))))


@prop("T")
def _reverse_axes(self: Tensor) -> Tensor:
    """The Tensor with its axes in reverse order.

    Examples:
        >>> ops.ones((2, 3, 4)).T.shape
        (4, 3, 2)
    """
    return _permute(self)


@prop("mT")
def _matrix_transpose(self: Tensor) -> Tensor:
    """The Tensor with its last two axes exchanged.

    Examples:
        >>> ops.ones((2, 3, 4)).mT.shape
        (2, 4, 3)
    """
    return _shape.swapaxes(self, -1, -2)


@prop("H")
def _hermitian(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix.

    Raises:
        ValueError: If there are more than 2 axes, or one.

    Examples:
        >>> Tensor([[1 + 2j, 3]]).H.shape
        (2, 1)
    """
    if self.ndim not in (0, 2):
        raise ValueError(f"Tensor.H: the Tensor must be a matrix, got {self.ndim} axes.")
    return _shape.adjoint(self) if self.ndim else elementwise_rounding.conj(self)


@prop("mH")
def _matrix_hermitian(self: Tensor) -> Tensor:
    """The conjugate of the Tensor with its last two axes exchanged.

    Raises:
        ValueError: If there are fewer than 2 axes.

    Examples:
        >>> ops.ones((2, 3, 4)).mH.shape
        (2, 4, 3)
    """
    return _shape.adjoint(self)


@method("flatten")
def _flatten(self: Tensor, *args: Any, order: str = "C", start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return the Tensor with the axes from `start_dim` to `end_dim` merged into one.

    Args:
        args: In place of the keywords: `order`, `start_dim`, `end_dim`.
        order: "C" row-major, "F" column-major.
        start_dim, end_dim: The first and the last axis that is merged.

    Raises:
        ValueError: If `order` is unknown, an axis is out of range, or `start_dim` comes after `end_dim`.

    Examples:
        >>> ops.ones((2, 3, 4)).flatten(start_dim=1).shape
        (2, 12)
    """
    if args and isinstance(args[0], str):
        order, args = args[0], args[1:]
    start_dim, end_dim = (*args, *(start_dim, end_dim)[len(args) :])
    return _shape.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


@method("split")
def _split(
    self: Tensor, split_size: Any = None, dim: int = 0, *, split_size_or_sections: Any = None, axis: int | None = None
) -> Any:
    """Return the Tensor cut along an axis into pieces of one size, or of a sequence of sizes.

    Args:
        split_size, split_size_or_sections: The size of the pieces, or a sequence of sizes.
        dim, axis: The axis.

    Examples:
        >>> [t.tolist() for t in Tensor([1, 2, 3]).split(2)]
        [[1, 2], [3]]
    """
    size = split_size if split_size_or_sections is None else split_size_or_sections
    return joining_splits.split(self, size, dim if axis is None else axis)


@method("chunk")
def _chunk(self: Tensor, chunks: int, dim: int = 0, *, axis: int | None = None) -> Any:
    """Return the Tensor cut along an axis into at most `chunks` pieces.

    Args:
        chunks: The number of pieces.
        dim, axis: The axis.

    Examples:
        >>> [t.tolist() for t in Tensor([1, 2, 3]).chunk(2)]
        [[1, 2], [3]]
    """
    return joining_splits.chunk(self, chunks, dim if axis is None else axis)
