"""Primitive classes and small operators that are views of other rows: shapes, diagonals, permutations, indices."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.api.tensor import elements
from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core.dtype import TypeLike
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import composite, freeze, internal, op
from sporax._src.ops.array import cast, gather, shape
from sporax._src.ops.array.assign import write
from sporax._src.ops.linalg import diagonals

REF = "references.array."


# --- shape and dtype of another Tensor ------------------------------------------------------------------------------


@composite(
    ref="numpy.broadcast_to",
    cases=("T(3), (2, 3)",),
    errors=(("None, (2, 3)", "operands must be Tensors or numbers"),),
)
def expand(input_x: Tensor, size: Any) -> Tensor:
    """Return the input repeated along axes of size 1 and new leading axes; -1 keeps a size.

    Args:
        input_x: A Tensor.
        size: The shape of the result, a tuple of ints or an integer Tensor.

    Raises:
        ValueError: If the shape does not broadcast to `size`.

    Examples:
        >>> ops.expand(Tensor([1, 2]), (2, -1)).asnumpy()
        array([[1, 2],
               [1, 2]])
    """
    return shape.broadcast_to(input_x, size)


@composite(
    ref=REF + "expand_as",
    cases=("T(3), T(2, 3)",),
    errors=(("T(3), T(2, 4)", "does not broadcast to (2, 4)"), ("T(3), (2, 3)", "other must be a Tensor, got (2, 3)")),
)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the input broadcast to the shape of another Tensor.

    Args:
        input: A Tensor.
        other: The Tensor whose shape the result has.

    Raises:
        TypeError: If `other` is not a Tensor.
        ValueError: If the shape does not broadcast to that of `other`.

    Examples:
        >>> ops.expand_as(Tensor([1, 2]), ops.zeros((2, 2))).asnumpy()
        array([[1, 2],
               [1, 2]])
    """
    if not isinstance(other, Tensor):
        raise TypeError(f"ops.expand_as: other must be a Tensor, got {other!r}.")
    return shape.broadcast_to(input, other.shape)


@composite(
    ref=REF + "view_as",
    cases=("T(6), T(2, 3)",),
    errors=(("T(6), T(7, 11)", "input has 6 elements, which do not fit the"),),
)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the elements in row-major order under the shape of another Tensor.

    Args:
        input: A Tensor.
        other: A Tensor with as many elements.

    Raises:
        ValueError: If the numbers of elements differ.

    Examples:
        >>> ops.view_as(Tensor([1, 2, 3, 4]), ops.zeros((2, 2))).asnumpy()
        array([[1, 2],
               [3, 4]])
    """
    return shape.reshape(input, other.shape)


@composite(
    ref=REF + "type_as",
    cases=("T(2), I(3)",),
    errors=(("None, I(3)", "operands must be Tensors or numbers"),),
    grad=0,
)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the input converted to the dtype of another Tensor.

    Args:
        input: A Tensor.
        other: The Tensor whose dtype the result has.

    Examples:
        >>> ops.type_as(Tensor([1.5, 2.0]), Tensor([1])).asnumpy()
        array([1, 2])
    """
    return cast.cast(input, other.dtype)


# --- diagonals ------------------------------------------------------------------------------------------------------

primitive("MatrixBandPart()")(diagonals.matrix_band_part)


# --- indices --------------------------------------------------------------------------------------------------------


@primitive("SelectView()")
def _select_view(input: Tensor, index: int, axis: int) -> Tensor:
    """Return the slice number `index` along an axis."""
    return input[(slice(None),) * axes.one(axis, input.ndim) + (index,)]


@primitive("TensorToTuple()(x)")
def _tensor_to_tuple(input: Tensor) -> tuple[Any, ...]:
    """Return the elements of a vector as a tuple of numbers."""
    return tuple(input.tolist())


@composite(
    cases=("T(3), D([0, 2], np.int64), T(2)",),
    errors=(
        ("T(3), T(2), T(2)", "indices must be an integer Tensor, got Float32"),
        ("T(3), D([0, 2], np.int64), T(3)", "put_: source must have as many elements as index, 2, got 3"),
    ),
    grad=0,
    jit=False,
)
def put_(input: Parameter, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Put (or add) values at indices of the flattened Tensor itself and return its new value.

    Args:
        input: The Tensor or Parameter; it changes.
        index: An integer Tensor of indices in the flattened Tensor.
        source: A Tensor of as many values.
        accumulate: Whether values are added to what is there.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If `source` has another number of elements than `index`.

    Examples:
        >>> ops.put_(Tensor([1.0, 2.0, 3.0]), Tensor([0, 2]), Tensor([8.0, 9.0])).asnumpy()
        array([8., 2., 9.], dtype=float32)
    """
    return write("put_", input, elements.flat_put(input, index, source, accumulate))


@internal("UnravelIndex")
def _unravel(indices: Array, dims: Static) -> Array:
    return jnp.stack([p.astype(indices.dtype) for p in jnp.unravel_index(gather.integers(indices), dims)])


@primitive("InvertPermutation()")
def _invert_permutation(input_x: Any) -> Any:
    """Return the permutation that undoes another, as the tuple or Tensor it was given as."""
    if isinstance(input_x, Tensor):
        return _argsort(input_x)
    return tuple(int(i) for i in np.argsort(input_x))


@internal("InvertPermutation")
def _argsort(x: Array) -> Array:
    return jnp.argsort(x).astype(x.dtype)


@primitive("ListDiff(out_idx=None)")
def _list_diff(x: Tensor, y: Tensor, out_idx: TypeLike | None = None) -> tuple[Tensor, Tensor]:
    """Return the elements of a vector x that are not in y, and their indices (int32 unless given)."""
    indices = np.flatnonzero(~np.isin(x.asnumpy(), y.asnumpy())).astype(np.int32)
    index = Tensor(indices)
    return gather.take(x, index), index if out_idx is None else cast.cast(index, out_idx)


@op(ref=REF + "intopk", cases=("T(3, 4), D([0, 1, 2], np.int32), 2",), errors=(("T(2), I(2), 1", "matrix"),), grad=0)
def intopk(x1: Array, x2: Array, k: int) -> Array:
    """Return for each row of a matrix whether its element number x2[i] is among its k largest.

    Args:
        x1: A Tensor (N, C).
        x2: An integer Tensor (N,) of indices in the rows.
        k: How many of the largest elements count; equal elements all count.

    Returns:
        A bool Tensor (N,).

    Raises:
        TypeError: If `x2` holds no integers.
        ValueError: If `x1` is not a matrix.

    Examples:
        >>> ops.intopk(Tensor([[1.0, 3.0, 2.0], [1.0, 3.0, 2.0]]), Tensor([0, 2]), 2).asnumpy()
        array([False,  True])
    """
    if x1.ndim != 2:
        raise ValueError(f"x1 must be a matrix, got {x1.ndim} axes.")
    own = jnp.take_along_axis(x1, gather.integers(x2, "x2")[:, None], 1)
    return jnp.sum(x1 > own, 1, dtype=np.int32) < k


primitives(
    """\
MatrixDiagV3(align='RIGHT_LEFT')(x, k, num_rows, num_cols, padding_value) -> \
matrix_diag(x, k, num_rows, num_cols, padding_value, align)
MatrixDiagPartV3(align='RIGHT_LEFT')(x, k, padding_value) -> matrix_diag_part(x, k, padding_value, align)
MatrixSetDiagV3(align='RIGHT_LEFT')(x, diagonal, k) -> matrix_set_diag(x, diagonal, k, align)
ConjugateTranspose()(x, perm) -> transpose(x, perm).conj()
    Return the conjugate of the input with its axes in another order.
    >>> ops.ConjugateTranspose()(Tensor([[1 + 1j, 2]]), (1, 0)).asnumpy()
    array([[1.-1.j],
           [2.-0.j]])
IndexPut(accumulate: int = 0)(x1: Tensor, x2, indices) -> index_put(x1, indices, x2, bool(accumulate))
    Return x1 with the values x2 put (or added) at a tuple of index Tensors.
    x1: A Tensor.
    accumulate: Whether values are added to what is there.
    >>> index = (Tensor([0, 1]), Tensor([1, 0]))
    >>> ops.auto_generate.IndexPut()(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), index).asnumpy()
    array([[1, 8],
           [9, 4]])
ScatterAddWithAxis(axis=0)(input_x, indices, updates) -> tensor_scatter_elements(input_x, indices, updates, axis, "add")
    Return input_x with `out[indices[i, j], j] += updates[i, j]` (for axis=0, two axes).
    TypeError: If `indices` holds no integers.
    ValueError: If the shapes do not fit.
    >>> add = ops.ScatterAddWithAxis()
    >>> add(Tensor([[1, 2], [3, 4]]), Tensor([[1, 0]]), Tensor([[8, 9]])).asnumpy()
    array([[ 1, 11],
           [11,  4]])
UnravelIndex()(indices, dims) -> _unravel(indices, freeze(dims))
    Return for each flat index its index along every axis of a shape, one row per axis.
InTopK(k)(x1, x2) -> intopk(x1, x2, k)
""",
    globals() | {"index_put": elements.index_put, "freeze": freeze},
)
