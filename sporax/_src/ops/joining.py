"""Operators that join and combine Tensors: concat, stack, hstack, meshgrid, cartesian_prod, atleast_1d, ..."""

from __future__ import annotations

import itertools
from typing import Any

import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

from sporax._src.base.typing import Array, Arrays, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, internal, op

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
        axis: The place of the new axis.

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


@op(ref="numpy.column_stack", cases=("(T(2), T(2, 3))",), errors=(("'x'", "operands must be Tensors or numbers"),))
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
        ValueError: If an input is no vector, or `indexing` is another.

    Examples:
        >>> [x.asnumpy() for x in ops.meshgrid(Tensor([1, 2]), Tensor([3]), indexing="ij")]
        [array([[1],
               [2]]), array([[3],
               [3]])]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"ops.meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}.")
    given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)) else inputs
    if any(x.ndim != 1 for x in given):
        raise ValueError(f"ops.meshgrid: inputs must be vectors, got shapes {[list(x.shape) for x in given]}.")
    return _meshgrid(given, indexing)


@primitive("Meshgrid(indexing='xy')")
def _meshgrid_primitive(inputs: Any, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinate Tensors of the grid that a tuple of vectors spans."""
    return meshgrid(*inputs, indexing=indexing)


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
        ValueError: If an input is no vector.

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


@op(ref="torch.combinations", cases=("T(4)", "T(3), 3", "T(3), 2, True"), errors=(("T(2, 2)", "vector"),))
def combinations(input: Array, r: int = 2, with_replacement: bool = False) -> Array:
    """Return all combinations of r elements of a vector, as rows.

    Args:
        input: A Tensor (n,).
        r: How many elements are taken.
        with_replacement: Whether an element may be taken more than once.

    Raises:
        ValueError: If `input` is no vector.

    Examples:
        >>> ops.combinations(Tensor([1, 2, 3])).asnumpy()
        array([[1, 2],
               [1, 3],
               [2, 3]])
    """
    if input.ndim != 1:
        raise ValueError(f"input must be a vector, got {input.ndim} axes.")
    pick = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.asarray(list(pick(range(input.shape[0]), r)), np.int32).reshape(-1, r)
    return input[places]


def _at_least(x: Any, n: int) -> Any:
    if isinstance(x, (tuple, list)):
        return tuple([_at_least(v, n) for v in x])
    return _raise_rank(x, n)


@internal("atleast")
def _raise_rank(x: Array, n: Static) -> Array:
    return (jnp.atleast_1d, jnp.atleast_2d, jnp.atleast_3d)[n - 1](x)


@composite(ref="numpy.atleast_1d", cases=("T()", "T(2)"), errors=(("None", "operands must be Tensors or numbers"),))
def atleast_1d(inputs: Any) -> Any:
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
def atleast_2d(inputs: Any) -> Any:
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
def atleast_3d(inputs: Any) -> Any:
    """Return the Tensor, or each of a tuple, with at least 3 axes.

    Args:
        inputs: A Tensor or number, or a tuple or list of them; a vector (n,) becomes (1, n, 1), a matrix (m, n, 1).

    Examples:
        >>> ops.atleast_3d(Tensor([1, 2])).shape
        (1, 2, 1)
    """
    return _at_least(inputs, 3)
