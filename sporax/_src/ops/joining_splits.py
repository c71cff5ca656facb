"""Tensors taken apart: the inverse of joining them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Static
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, internal, op


def _pieces(x: Array, sizes: list[int], axis: int) -> tuple[Array, ...]:
    return tuple(jnp.split(x, np.cumsum(sizes)[:-1], axis))


def _equal_sizes(total: int, size: int) -> list[int]:
    """Return sizes that sum to `total`, all `size` but the last."""
    return [min(size, total - i) for i in range(0, total, size)] or [0]


@op(
    ref="sporax._src.testing.array_references.split",
    cases=("T(5), 2", "T(5, 2), [2, 3]", "T(2, 6), 3, -1"),
    errors=(("T(5), [2, 2]", "sum to 5"), ("T(5), 0", "positive"), ("T(5), 2, 1", "[-1, 1)")),
)
def split(tensor: Array, split_size_or_sections: Static, axis: int = 0) -> tuple[Array, ...]:
    """Return the Tensor cut along an axis.

    Args:
        tensor: A Tensor.
        split_size_or_sections: The size of the pieces (the last may be smaller), or a sequence of sizes.
        axis: The axis.

    Raises:
        ValueError: If the sizes do not add up to that of the axis, or the axis is out of range.

    Examples:
        >>> [part.asnumpy() for part in ops.split(Tensor([1, 2, 3, 4, 5]), 2)]
        [array([1, 2]), array([3, 4]), array([5])]
    """
    axis = axes.one(axis, tensor.ndim)
    total = tensor.shape[axis]
    if isinstance(split_size_or_sections, (tuple, list)):
        sizes = list(axes.fixed_sizes(split_size_or_sections, "split_size_or_sections"))
        if sum(sizes) != total:
            raise ValueError(f"split_size_or_sections must sum to {total}, the size of axis {axis}, got {sizes}.")
    else:
        size = axes.sizes(split_size_or_sections, "split_size_or_sections")[0]
        if size < 1:
            raise ValueError(f"split_size_or_sections must be positive, got {size}.")
        sizes = _equal_sizes(total, size)
    return _pieces(tensor, sizes, axis)


@internal("Split")
def _split_evenly(input_x: Array, axis: Static, output_num: Static) -> tuple[Array, ...]:
    axis = axes.one(axis, input_x.ndim)
    if output_num < 1 or input_x.shape[axis] % output_num:
        raise ValueError(f"output_num must divide the size of axis {axis}, {input_x.shape[axis]}, got {output_num}.")
    return tuple(jnp.split(input_x, output_num, axis))


@primitive("Split(axis=0, output_num=1)")
def _split_primitive(input_x: Tensor, axis: int = 0, output_num: int = 1) -> tuple[Tensor, ...]:
    """Return the Tensor cut along `axis` into `output_num` pieces of equal size."""
    return _split_evenly(input_x, axis, output_num)


@primitive("SplitV(size_splits, split_dim, num_split)")
def _split_v(input_x: Tensor, size_splits: Any, split_dim: int, num_split: int) -> tuple[Tensor, ...]:
    """Return the Tensor cut along `split_dim` into pieces of the given sizes; one of them may be -1."""
    known = sum(s for s in size_splits if s >= 0)
    return split(input_x, tuple(s if s >= 0 else input_x.shape[split_dim] - known for s in size_splits), split_dim)


@op(
    ref="sporax._src.testing.array_references.chunk",
    cases=("T(5), 3", "T(5), 4", "T(2, 6), 3, 1"),
    errors=(("T(5), 0", "positive"),),
)
def chunk(input: Array, chunks: int, axis: int = 0) -> tuple[Array, ...]:
    """Return the Tensor cut along an axis into at most `chunks` pieces of one size, the last perhaps smaller.

    Args:
        input: A Tensor.
        chunks: How many pieces at most.
        axis: The axis.

    Raises:
        ValueError: If `chunks` is no positive int, or the axis out of range.

    Examples:
        >>> [part.asnumpy() for part in ops.chunk(Tensor([1, 2, 3, 4, 5]), 3)]
        [array([1, 2]), array([3, 4]), array([5])]
    """
    if not isinstance(chunks, int) or chunks < 1:
        raise ValueError(f"chunks must be a positive int, got {chunks!r}.")
    axis = axes.one(axis, input.ndim)
    return _pieces(input, _equal_sizes(input.shape[axis], max(-(-input.shape[axis] // chunks), 1)), axis)


@op(
    ref="numpy.array_split",
    cases=("T(5), 3", "T(5, 2), (1, 3)", "T(2, 5), 2, 1"),
    errors=(("T(5), 0", "positive"),),
    method="tensor_split",
)
def tensor_split(input: Array, indices_or_sections: Static, axis: int = 0) -> tuple[Array, ...]:
    """Return the Tensor cut along an axis into a number of nearly equal pieces, or before given indices.

    Args:
        input: A Tensor.
        indices_or_sections: The number of pieces, or a sequence of the indices before which to cut.
        axis: The axis.

    Raises:
        ValueError: If the number is not positive, or the axis out of range.

    Examples:
        >>> [part.asnumpy() for part in ops.tensor_split(Tensor([1, 2, 3, 4, 5]), (1, 3))]
        [array([1]), array([2, 3]), array([4, 5])]
    """
    axis = axes.one(axis, input.ndim)
    if isinstance(indices_or_sections, int) and indices_or_sections < 1:
        raise ValueError(f"indices_or_sections must be positive, got {indices_or_sections}.")
    if isinstance(indices_or_sections, int):
        return tuple(jnp.array_split(input, indices_or_sections, axis))
    before = (slice(None),) * axis
    cuts = zip((0, *indices_or_sections), (*indices_or_sections, None), strict=True)
    return tuple([input[(*before, slice(start, stop))] for start, stop in cuts])


@composite(
    ref="numpy.hsplit",
    cases=("T(2, 4), 2", "T(4), (1,)"),
    errors=(("T(2, 4), -99", "indices_or_sections must be positive"),),
    method="hsplit",
)
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Return the Tensor cut along axis 1 (a vector along axis 0).

    Args:
        input: A Tensor of at least 1 axis.
        indices_or_sections: As in `tensor_split`.

    Examples:
        >>> [part.asnumpy() for part in ops.hsplit(Tensor([1, 2, 3, 4]), 2)]
        [array([1, 2]), array([3, 4])]
    """
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


@composite(
    ref="numpy.vsplit",
    cases=("T(4, 2), 2",),
    errors=(("T(4, 2), -99", "indices_or_sections must be positive"),),
    method="vsplit",
)
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Return the Tensor cut along axis 0.

    Args:
        input: A Tensor of at least 1 axis.
        indices_or_sections: As in `tensor_split`.

    Examples:
        >>> [part.asnumpy() for part in ops.vsplit(Tensor([[1, 2], [3, 4]]), 2)]
        [array([[1, 2]]), array([[3, 4]])]
    """
    return tensor_split(input, indices_or_sections, 0)


@composite(
    ref="numpy.dsplit",
    cases=("T(1, 2, 4), 2",),
    errors=(("T(1, 2, 4), -99", "indices_or_sections must be positive"),),
    method="dsplit",
)
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Return the Tensor cut along axis 2.

    Args:
        input: A Tensor of at least 3 axes.
        indices_or_sections: As in `tensor_split`.

    Raises:
        ValueError: If `input` has fewer than 3 axes.

    Examples:
        >>> [part.shape for part in ops.dsplit(ops.ones((1, 2, 5)), (1, 3))]
        [(1, 2, 1), (1, 2, 2), (1, 2, 2)]
    """
    return tensor_split(input, indices_or_sections, 2)


@op(ref="sporax._src.testing.array_references.unstack", cases=("T(2, 3)", "T(2, 3), -1"), errors=(("T()", "axis"),))
def unstack(input_x: Array, axis: int = 0) -> tuple[Array, ...]:
    """Return the slices of the Tensor along an axis, without that axis.

    Args:
        input_x: A Tensor of at least 1 axis.
        axis: The axis.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> [row.asnumpy() for row in ops.unstack(Tensor([[1, 2], [3, 4]]))]
        [array([1, 2]), array([3, 4])]
    """
    return tuple(jnp.unstack(input_x, axis=axes.one(axis, input_x.ndim)))


@composite(
    ref="sporax._src.testing.array_references.unstack",
    cases=("T(2, 3)", "T(2, 3), -1"),
    errors=(("T()", "axis must be in [0, 0)"),),
    method="unbind",
)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the slices of the Tensor along an axis, without that axis.

    Args:
        input: A Tensor of at least 1 axis.
        dim: The axis.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> [column.asnumpy() for column in ops.unbind(Tensor([[1, 2], [3, 4]]), 1)]
        [array([1, 3]), array([2, 4])]
    """
    return unstack(input, dim)


@primitive("Unstack(axis=0, num=None)", "Unpack(axis=0, num=None)")
def _unstack(input_x: Tensor, axis: int = 0, num: int | None = None) -> tuple[Tensor, ...]:
    """Return the slices of the Tensor along an axis, without that axis."""
    return unstack(input_x, axis)
