"""Operators that join Tensors and take them apart: concat, stack, meshgrid, split, chunk, unbind, ..."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array, Arrays, Shape, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.execution import current
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import composite, freeze, internal, op
from sporax._src.ops.array.gather import narrow

# --- joining --------------------------------------------------------------------------------------------------------


def _alike(tensors: Arrays, least: int = 1) -> list[Array]:
    """Return the operands as a list; raises TypeError where their dtypes differ."""
    arrays = [jnp.asarray(t) for t in tensors]
    if len(arrays) < least:
        raise ValueError(f"tensors must hold at least {least} Tensor, got {len(arrays)}.")
    if len({a.dtype for a in arrays}) > 1:
        raise TypeError(
            f"tensors must have one dtype, got {', '.join(str(mstype.from_numpy(a.dtype)) for a in arrays)}."
        )
    return arrays


@op(
    ref="numpy.concatenate",
    cases=("(T(2, 3), T(1, 3))", "(T(2, 3), T(2, 1)), 1", "[I(2), I(3)], -1", "(T(0, 3), T(2, 3))"),
    errors=(
        ("(T(2), I(2))", "one dtype"),
        ("(T(2), T(2)), 2", "[-1, 1)"),
        ("()", "at least 1"),
        ("(T(2, 3), T(2, 2))", "axis 0"),
    ),
    aliases="concat",
    primitive=("Concat(axis=0)",),
    amp="widest",
)
def cat(tensors: Arrays, axis: int = 0) -> Array:
    """Return Tensors joined along an existing axis.

    Args:
        tensors: Tensors of one dtype, and of one shape but for `axis`.
        axis: The axis.

    Raises:
        TypeError: If the dtypes differ.
        ValueError: If there are no Tensors, the axis is out of range or other sizes differ.

    Examples:
        >>> ops.cat((Tensor([1.0]), Tensor([2.0, 3.0]))).asnumpy()
        array([1., 2., 3.], dtype=float32)
    """
    arrays = _alike(tensors)
    axis = axes.one(axis, arrays[0].ndim)
    rests = {(a.ndim, *a.shape[:axis], *a.shape[axis + 1 :]) for a in arrays}
    if len(rests) > 1:
        raise ValueError(f"tensors must have equal sizes but along axis {axis}, got {[list(a.shape) for a in arrays]}.")
    return jnp.concatenate(arrays, axis)


@op(
    ref="numpy.stack",
    cases=("(T(2, 3), T(2, 3))", "[T(2, 3), T(2, 3)], -1", "(T(), T())"),
    errors=(("(T(2), I(2))", "one dtype"), ("(T(2), T(3))", "equal shapes"), ("(T(2), T(2)), 3", "[-2, 2)")),
    primitive=("Stack(axis=0)", "Pack(axis=0)"),
)
def stack(tensors: Arrays, axis: int = 0) -> Array:
    """Return Tensors of one shape and dtype joined along a new axis.

    Args:
        tensors: A sequence of Tensors.
        axis: The position of the new axis.

    Raises:
        TypeError: If the dtypes differ.
        ValueError: If there are no Tensors, the shapes differ or the axis is out of range.

    Examples:
        >>> ops.stack((Tensor([1, 2]), Tensor([3, 4])), -1).asnumpy()
        array([[1, 3],
               [2, 4]])
    """
    arrays = _alike(tensors)
    if len({a.shape for a in arrays}) > 1:
        raise ValueError(f"tensors must have equal shapes, got {[list(a.shape) for a in arrays]}.")
    return jnp.stack(arrays, axes.one(axis, arrays[0].ndim + 1))


@op(
    ref="numpy.hstack",
    cases=("(T(2), T(3))", "(T(2, 3), T(2, 1))", "(T(), T())"),
    errors=(("'x'", "operands must be Tensors or numbers"),),
    amp="widest",
)
def hstack(tensors: Arrays) -> Array:
    """Return Tensors joined along axis 1, vectors along axis 0.

    Args:
        tensors: A sequence of Tensors of one dtype.

    Raises:
        TypeError: If the dtypes, or the sizes of other axes, differ.
        ValueError: If there are no Tensors.

    Examples:
        >>> ops.hstack((Tensor([1, 2]), Tensor([3]))).asnumpy()
        array([1, 2, 3])
    """
    return jnp.hstack(_alike(tensors))


@op(
    ref="numpy.vstack",
    cases=("(T(3), T(3))", "(T(2, 3), T(1, 3))"),
    errors=(("'x'", "operands must be Tensors or numbers"),),
    amp="widest",
)
def vstack(inputs: Arrays) -> Array:
    """Return Tensors joined along axis 0, vectors as rows.

    Args:
        inputs: A sequence of Tensors of one dtype.

    Raises:
        TypeError: If the dtypes, or the sizes of other axes, differ.
        ValueError: If there are no Tensors.

    Examples:
        >>> ops.vstack((Tensor([1, 2]), Tensor([3, 4]))).asnumpy()
        array([[1, 2],
               [3, 4]])
    """
    return jnp.vstack(_alike(inputs))


@op(ref="numpy.vstack", cases=("(T(3), T(3))",), errors=(("'x'", "operands must be Tensors or numbers"),))
def row_stack(tensors: Arrays) -> Array:
    """Return Tensors joined along axis 0, vectors as rows.

    Args:
        tensors: A sequence of Tensors of one dtype.

    Raises:
        TypeError: If the dtypes, or the sizes of other axes, differ.
        ValueError: If there are no Tensors.

    Examples:
        >>> ops.row_stack((Tensor([1, 2]), Tensor([3, 4]))).asnumpy()
        array([[1, 2],
               [3, 4]])
    """
    return jnp.vstack(_alike(tensors))


@op(
    ref="numpy.dstack",
    cases=("(T(2, 3), T(2, 3))", "(T(2), T(2))"),
    errors=(("'x'", "operands must be Tensors or numbers"),),
    amp="widest",
)
def dstack(tensors: Arrays) -> Array:
    """Return Tensors joined along axis 2, after vectors and matrices are given the axes that they lack.

    Args:
        tensors: A sequence of Tensors of one dtype.

    Raises:
        TypeError: If the dtypes, or the sizes of other axes, differ.
        ValueError: If there are no Tensors.

    Examples:
        >>> ops.dstack((Tensor([1, 2]), Tensor([3, 4]))).asnumpy()
        array([[[1, 3],
                [2, 4]]])
    """
    return jnp.dstack(_alike(tensors))


@op(
    ref="numpy.column_stack",
    cases=("(T(2), T(2, 3))",),
    errors=(("'x'", "operands must be Tensors or numbers"),),
    amp="widest",
)
def column_stack(tensors: Arrays) -> Array:
    """Return Tensors joined along axis 1, vectors as columns.

    Args:
        tensors: A sequence of Tensors of one dtype.

    Raises:
        TypeError: If the dtypes, or the sizes of other axes, differ.
        ValueError: If there are no Tensors.

    Examples:
        >>> ops.column_stack((Tensor([1, 2]), Tensor([3, 4]))).asnumpy()
        array([[1, 3],
               [2, 4]])
    """
    return jnp.column_stack(_alike(tensors))


@internal("block_diag")
def _block_diag(inputs: Arrays) -> Array:
    return jsl.block_diag(*_alike(inputs))


@composite(
    ref="scipy.linalg.block_diag",
    cases=("T(2, 3), T(1, 2)",),
    errors=(("C(2, 3), T(1, 2)", "tensors must have one dtype"),),
)
def block_diag(*inputs: Tensor) -> Tensor:
    """Return the matrix with the inputs on its diagonal.

    Args:
        *inputs: Matrices, vectors (rows) or scalars of one dtype.

    Raises:
        TypeError: If the dtypes differ.

    Examples:
        >>> ops.block_diag(Tensor([[1, 2]]), Tensor([[3], [4]])).asnumpy()
        array([[1, 2, 0],
               [0, 0, 3],
               [0, 0, 4]])
    """
    return _block_diag(inputs)


# --- combining ------------------------------------------------------------------------------------------------------


@internal("meshgrid")
def _meshgrid(inputs: Arrays, indexing: Static) -> tuple[Array, ...]:
    return tuple(jnp.meshgrid(*inputs, indexing=indexing))


@composite(
    ref="numpy.meshgrid",
    cases=("T(2), T(3)", "T(2), T(3), T(4), indexing='ij'"),
    errors=(("T(2), T(3), indexing='x'", "indexing"), ("T(2, 2), T(2)", "vectors")),
)
def meshgrid(*inputs: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinate Tensors of the grid that vectors span.

    Args:
        *inputs: Vectors.
        indexing: `"xy"`: the first two axes of the results are exchanged; `"ij"`: they are in the order of the inputs.

    Raises:
        ValueError: If an input is not a vector, or `indexing` is another.

    Examples:
        >>> [x.asnumpy() for x in ops.meshgrid(Tensor([1, 2]), Tensor([3]), indexing="ij")]
        [array([[1],
               [2]]), array([[3],
               [3]])]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"ops.meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}.")
    vectors = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)) else inputs
    if any(x.ndim != 1 for x in vectors):
        raise ValueError(f"ops.meshgrid: inputs must be vectors, got shapes {[list(x.shape) for x in vectors]}.")
    return _meshgrid(vectors, indexing)


@internal("cartesian_prod")
def _cartesian_prod(inputs: Arrays) -> Array:
    return jnp.stack([g.ravel() for g in jnp.meshgrid(*_alike(inputs), indexing="ij")], -1)


@composite(
    ref="torch.cartesian_prod",
    cases=("T(2), T(3)",),
    errors=(("T(2, 2), T(3)", "inputs must be vectors, got shapes [[2, 2], [3]]"), ("T(2), I(2)", "one dtype")),
)
def cartesian_prod(*inputs: Tensor) -> Tensor:
    """Return all combinations of one element of each vector, as rows; one vector is returned as it is.

    Args:
        *inputs: Vectors of one dtype.

    Raises:
        TypeError: If the dtypes differ.
        ValueError: If an input is not a vector.

    Examples:
        >>> ops.cartesian_prod(Tensor([1, 2]), Tensor([3, 4])).asnumpy()
        array([[1, 3],
               [1, 4],
               [2, 3],
               [2, 4]])
    """
    shapes = [list(x.shape) for x in inputs if isinstance(x, Tensor)]
    if any(len(s) != 1 for s in shapes):
        raise ValueError(f"ops.cartesian_prod: inputs must be vectors, got shapes {shapes}.")
    return inputs[0] if len(inputs) == 1 else _cartesian_prod(inputs)


@op(
    ref="torch.combinations",
    cases=("T(4)", "T(3), 3", "T(3), 2, True"),
    errors=(("T(2, 2)", "vector"), ("T(3), -1", "r must not be negative"), ("T(64), 32", "are more than can be made")),
)
def combinations(input: Array, r: int = 2, with_replacement: bool = False) -> Array:
    """Return all combinations of r elements of a vector, as rows.

    Args:
        input: A Tensor (n,).
        r: How many elements are taken.
        with_replacement: Whether an element may be taken more than once.

    Raises:
        ValueError: If `input` is not a vector, `r` is negative, or there are too many.

    Examples:
        >>> ops.combinations(Tensor([1, 2, 3])).asnumpy()
        array([[1, 2],
               [1, 3],
               [2, 3]])
    """
    if input.ndim != 1:
        raise ValueError(f"input must be a vector, got {input.ndim} axes.")
    count, r = input.shape[0], axes.count(r, "r")
    rows = math.comb(count + r - 1, r) if with_replacement and count else math.comb(count, r)
    if rows * r > _MOST_INDICES:
        raise ValueError(f"{rows} rows of {r} elements are more than can be made.")
    pick = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    numbers = itertools.chain.from_iterable(pick(range(count), r))
    parts = [
        np.fromiter(itertools.islice(numbers, 2**18), np.int32) for _ in range(0, rows * r, 2**18)
    ]  # pieces of a limited size, so that signals are handled between them
    return input[np.concatenate(parts).reshape(rows, r) if parts else np.zeros((rows, r), np.int32)]


def _at_least(x: object, n: int) -> Any:
    if isinstance(x, (tuple, list)):
        return tuple([_at_least(v, n) for v in x])
    return _raise_rank(x, n)


@internal("atleast")
def _raise_rank(x: Array, n: Static) -> Array:
    return (jnp.atleast_1d, jnp.atleast_2d, jnp.atleast_3d)[n - 1](x)


@composite(ref="numpy.atleast_1d", cases=("T()", "T(2)"), errors=(("None", "operands must be Tensors or numbers"),))
def atleast_1d(inputs: object) -> Any:
    """Return the Tensor, or each of a tuple, with at least 1 axis.

    Args:
        inputs: A Tensor or number, or a tuple or list of them.

    Examples:
        >>> ops.atleast_1d(Tensor(1)).asnumpy()
        array([1])
    """
    return _at_least(inputs, 1)


@composite(
    ref="numpy.atleast_2d",
    cases=("T()", "T(2)", "T(2, 3, 4)"),
    errors=(("None", "operands must be Tensors or numbers"),),
)
def atleast_2d(inputs: object) -> Any:
    """Return the Tensor, or each of a tuple, with at least 2 axes.

    Args:
        inputs: A Tensor or number, or a tuple or list of them; new axes come first.

    Examples:
        >>> ops.atleast_2d(Tensor([1, 2])).asnumpy()
        array([[1, 2]])
    """
    return _at_least(inputs, 2)


@composite(
    ref="numpy.atleast_3d",
    cases=("T()", "T(2)", "T(2, 3)"),
    errors=(("None", "operands must be Tensors or numbers"),),
)
def atleast_3d(inputs: object) -> Any:
    """Return the Tensor, or each of a tuple, with at least 3 axes.

    Args:
        inputs: A Tensor or number, or a tuple or list of them; a vector (n,) becomes (1, n, 1), a matrix (m, n, 1).

    Examples:
        >>> ops.atleast_3d(Tensor([1, 2])).shape
        (1, 2, 1)
    """
    return _at_least(inputs, 3)


# --- the inverse of joining ---------------------------------------------------------------------------------------------


_MOST_INDICES = 2**28  # of combinations
_AT_ONCE = 64  # pieces that PyNative mode cuts with one kernel: XLA needs some 40 ms to compile each, whatever its size
_MOST = 2**20  # pieces that are cut one after the other
_MOST_IN_GRAPH = 2**12


def _check_pieces(pieces: int, argument: str, most: int = _MOST) -> None:
    """Raise ValueError where an argument of an operator asks for more pieces than fit, before any is created."""
    if pieces > most:
        where = " in a graph" if most == _MOST_IN_GRAPH else ""
        raise ValueError(f"{argument} makes {pieces} Tensors of one; at most {most} can be made{where}.")


def _is_cut_at_once(pieces: int, argument: str) -> bool:
    """Return whether one kernel cuts so many pieces; raise ValueError where there are more than fit."""
    if pieces <= _AT_ONCE:
        return True
    is_traced = current.get().scope is not None
    _check_pieces(pieces, argument, _MOST_IN_GRAPH if is_traced else _MOST)
    return is_traced


# The sizes of the pieces of a Tensor, and the axis; computed once for each shape and argument.
_plan = functools.lru_cache(maxsize=4096, typed=True)


def _cut(
    input: Any,
    plan: Callable[[tuple[int, ...], str, Any, Any], tuple[tuple[int, ...], int]],
    argument: str,
    asked: Any,
    axis: Any,
) -> tuple[Tensor, ...]:
    """Return the pieces that an operator's argument asks for, in order along an axis."""
    sizes, axis = plan(input._data.shape, argument, asked if asked.__class__ is int else freeze(asked), axis)
    if _is_cut_at_once(len(sizes), argument):
        return _pieces(input, sizes, axis)
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    return tuple([narrow(input, axis, start, size) for start, size in zip(starts, sizes, strict=True)])


@internal("split", view=True)
def _pieces(input: Array, sizes: Shape, axis: int) -> tuple[Array, ...]:
    return tuple(jnp.split(input, np.cumsum(sizes)[:-1], axis))


def _tensor(label: str, name: str, value: object) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{label}: {name} must be a Tensor, got {describe(value)}.")
    return value


def _equal_sizes(total: int, size: int) -> tuple[int, ...]:
    """Return sizes that sum to `total`, all `size` but the last."""
    return tuple([min(size, total - i) for i in range(0, total, size)]) or (0,)


@composite(
    ref="references.array.split",
    cases=("T(5), 2", "T(5, 2), [2, 3]", "T(2, 6), 3, -1"),
    errors=(
        ("T(5), [2, 2]", "sum to 5"),
        ("T(5), 0", "positive"),
        ("T(5), 2, 1", "[-1, 1)"),
        ("None, 2", "ops.split: tensor must be a Tensor"),
        ("T(2**21), 1", "ops.split: split_size_or_sections makes 2097152 Tensors of one; at most 1048576"),
    ),
)
def split(tensor: Tensor, split_size_or_sections: object, axis: int = 0) -> tuple[Tensor, ...]:
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
    tensor = _tensor("ops.split", "tensor", tensor)
    return _cut(tensor, _explicit_sizes, "ops.split: split_size_or_sections", split_size_or_sections, axis)


@_plan
def _explicit_sizes(shape: tuple[int, ...], argument: str, asked: object, axis: int) -> tuple[tuple[int, ...], int]:
    axis = axes.one(axis, len(shape))
    total = shape[axis]
    if isinstance(asked, tuple):
        sizes = axes.fixed_sizes(asked, argument)
        if sum(sizes) != total:
            raise ValueError(f"{argument} must sum to {total}, the size of axis {axis}, got {list(sizes)}.")
        return sizes, axis
    size = axes.sizes(asked, argument)[0]
    if size < 1:
        raise ValueError(f"{argument} must be positive, got {size}.")
    _check_pieces(-(-total // size), argument)
    return _equal_sizes(total, size), axis


def _split_evenly(input_x: Tensor, axis: int, output_num: int) -> tuple[Tensor, ...]:
    return _cut(input_x, _exact_share, "ops.Split: output_num", output_num, axis)


@_plan
def _exact_share(shape: tuple[int, ...], argument: str, pieces: int, axis: int) -> tuple[tuple[int, ...], int]:
    axis = axes.one(axis, len(shape))
    if pieces < 1 or shape[axis] % pieces:
        raise ValueError(f"{argument} must divide the size of axis {axis}, {shape[axis]}, got {pieces}.")
    _check_pieces(pieces, argument)
    return (shape[axis] // pieces,) * pieces, axis


@primitive("SplitV(size_splits, split_dim, num_split)")
def _split_v(input_x: Tensor, size_splits: Any, split_dim: int, num_split: int) -> tuple[Tensor, ...]:
    """Return the Tensor cut along `split_dim` into pieces of the given sizes; one of them may be -1."""
    known = sum(s for s in size_splits if s >= 0)
    return split(input_x, tuple(s if s >= 0 else input_x.shape[split_dim] - known for s in size_splits), split_dim)


@composite(
    ref="references.array.chunk",
    cases=("T(5), 3", "T(5), 4", "T(2, 6), 3, 1"),
    errors=(
        ("T(5), 0", "positive"),
        ("None, 2", "ops.chunk: input must be a Tensor"),
        ("T(2**21), 2**21", "ops.chunk: chunks makes 2097152 Tensors of one; at most 1048576"),
    ),
)
def chunk(input: Tensor, chunks: int, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the Tensor cut along an axis into at most `chunks` pieces of one size, the last perhaps smaller.

    Args:
        input: A Tensor.
        chunks: How many pieces at most.
        axis: The axis.

    Raises:
        ValueError: If `chunks` is not a positive int, or the axis out of range.

    Examples:
        >>> [part.asnumpy() for part in ops.chunk(Tensor([1, 2, 3, 4, 5]), 3)]
        [array([1, 2]), array([3, 4]), array([5])]
    """
    return _cut(_tensor("ops.chunk", "input", input), _at_most, "ops.chunk: chunks", chunks, axis)


@_plan
def _at_most(shape: tuple[int, ...], argument: str, pieces: int, axis: int) -> tuple[tuple[int, ...], int]:
    if not isinstance(pieces, int) or pieces < 1:
        raise ValueError(f"{argument} must be a positive int, got {pieces!r}.")
    axis = axes.one(axis, len(shape))
    size = max(-(-shape[axis] // pieces), 1)
    _check_pieces(-(-shape[axis] // size), argument)
    return _equal_sizes(shape[axis], size), axis


@composite(
    ref="numpy.array_split",
    cases=("T(5), 3", "T(5, 2), (1, 3)", "T(2, 5), 2, 1"),
    errors=(
        ("T(5), 0", "positive"),
        ("None, 2", "ops.tensor_split: input must be a Tensor"),
        ("T(3), 2**31", "ops.tensor_split: indices_or_sections makes 2147483648 Tensors of one; at most 1048576"),
    ),
    method="tensor_split",
)
def tensor_split(input: Tensor, indices_or_sections: object, axis: int = 0) -> tuple[Tensor, ...]:
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
    return cut_evenly("ops.tensor_split", input, indices_or_sections, axis)


def cut_evenly(label: str, input: Tensor, asked: Any, axis: int) -> tuple[Tensor, ...]:
    """Return a number of nearly equal pieces, or those between indices; `label` names who asked."""
    input = _tensor(label, "input", input)
    if asked.__class__ is not int and not isinstance(asked := freeze(asked), int):
        return _between(input, tuple(asked), axes.one(axis, input.ndim))
    return _cut(input, _near_share, f"{label}: indices_or_sections", asked, axis)


@_plan
def _near_share(shape: tuple[int, ...], argument: str, pieces: int, axis: int) -> tuple[tuple[int, ...], int]:
    axis = axes.one(axis, len(shape))
    if pieces < 1:
        raise ValueError(f"{argument} must be positive, got {pieces}.")
    _check_pieces(pieces, argument)
    size, longer = divmod(shape[axis], pieces)
    return (size + 1,) * longer + (size,) * (pieces - longer), axis


@internal("tensor_split", view=True)
def _between(input: Array, indices: Shape, axis: int) -> tuple[Array, ...]:
    before = (slice(None),) * axis
    cuts = zip((0, *indices), (*indices, None), strict=True)
    return tuple([input[(*before, slice(start, stop))] for start, stop in cuts])


@composite(
    ref="numpy.hsplit",
    cases=("T(2, 4), 2", "T(4), (1,)"),
    errors=(
        ("T(2, 4), -99", "ops.hsplit: indices_or_sections must be positive"),
        ("T(2, 4), 2**31", "ops.hsplit: indices_or_sections makes 2147483648 Tensors of one; at most 1048576"),
    ),
    method="hsplit",
)
def hsplit(input: Tensor, indices_or_sections: object) -> tuple[Tensor, ...]:
    """Return the Tensor cut along axis 1 (a vector along axis 0).

    Args:
        input: A Tensor of at least 1 axis.
        indices_or_sections: As in `tensor_split`.

    Examples:
        >>> [part.asnumpy() for part in ops.hsplit(Tensor([1, 2, 3, 4]), 2)]
        [array([1, 2]), array([3, 4])]
    """
    axis = 0 if _tensor("ops.hsplit", "input", input).ndim == 1 else 1
    return cut_evenly("ops.hsplit", input, indices_or_sections, axis)


@composite(
    ref="numpy.vsplit",
    cases=("T(4, 2), 2",),
    errors=(
        ("T(4, 2), -99", "ops.vsplit: indices_or_sections must be positive"),
        ("T(4, 2), 2**31", "ops.vsplit: indices_or_sections makes 2147483648 Tensors of one; at most 1048576"),
    ),
    method="vsplit",
)
def vsplit(input: Tensor, indices_or_sections: object) -> tuple[Tensor, ...]:
    """Return the Tensor cut along axis 0.

    Args:
        input: A Tensor of at least 1 axis.
        indices_or_sections: As in `tensor_split`.

    Examples:
        >>> [part.asnumpy() for part in ops.vsplit(Tensor([[1, 2], [3, 4]]), 2)]
        [array([[1, 2]]), array([[3, 4]])]
    """
    return cut_evenly("ops.vsplit", input, indices_or_sections, 0)


@composite(
    ref="numpy.dsplit",
    cases=("T(1, 2, 4), 2",),
    errors=(
        ("T(1, 2, 4), -99", "ops.dsplit: indices_or_sections must be positive"),
        ("T(1, 2, 4), 2**31", "ops.dsplit: indices_or_sections makes 2147483648 Tensors of one; at most 1048576"),
    ),
    method="dsplit",
)
def dsplit(input: Tensor, indices_or_sections: object) -> tuple[Tensor, ...]:
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
    return cut_evenly("ops.dsplit", input, indices_or_sections, 2)


@composite(
    ref="references.array.unstack",
    cases=("T(2, 3)", "T(2, 3), -1"),
    errors=(
        ("T()", "axis"),
        ("None", "ops.unstack: input_x must be a Tensor"),
        ("T(2**21)", "ops.unstack: input_x makes 2097152 Tensors of one; at most 1048576 can be made"),
    ),
)
def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
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
    return _slices("ops.unstack", "input_x", input_x, axis)


def _slices(label: str, name: str, input: Tensor, axis: int) -> tuple[Tensor, ...]:
    axis = axes.one(axis, _tensor(label, name, input).ndim)
    pieces = input.shape[axis]
    if _is_cut_at_once(pieces, f"{label}: {name}"):
        return _unstacked(input, axis)
    before = (slice(None),) * axis
    return tuple([input[(*before, i)] for i in range(pieces)])


@internal("unstack", view=True)
def _unstacked(input: Array, axis: int) -> tuple[Array, ...]:
    return tuple(jnp.unstack(input, axis=axis))


@composite(
    ref="references.array.unstack",
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
    return _slices("ops.unbind", "input", input, dim)


primitives(
    """\
Meshgrid(indexing='xy')(inputs: Sequence[Tensor]) -> meshgrid(*inputs, indexing=indexing)
    Return the coordinate Tensors of the grid that a tuple of vectors spans.
    inputs: A tuple of vectors.
    >>> [x.shape for x in ops.Meshgrid()((Tensor([1, 2]), Tensor([3])))]
    [(1, 2), (1, 2)]
Split(axis: int = 0, output_num: int = 1)(input_x) -> _split_evenly(input_x, axis, output_num)
    Return the Tensor cut along `axis` into `output_num` pieces of equal size.
Unstack, Unpack(axis=0, num: int | None = None)(input_x) -> unstack(input_x, axis)
    num: Accepted: the number of slices is the size of the axis.
""",
    globals(),
)
