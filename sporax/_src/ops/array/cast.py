"""Operators that convert the dtype, and the properties of a Tensor as Python values: cast, shape, rank, size, dtype."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.conversion import converted
from sporax._src.core.execution import current
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import composite, internal

# --- dtype ----------------------------------------------------------------------------------------------------------


@internal("cast", casts=True)
def _convert(input: Array, dtype: Static) -> Array:
    return converted(input, dtype)


@internal("cast", view=True)
def _alike(input: Array) -> Array:
    return jnp.asarray(input)


@composite(
    ref="references.array.cast",
    grad=0,
    primitive="Cast()(input_x, dtype)",
    cases=(
        "T(2, 3), ms.float16",
        "T(3), ms.int32",
        "I(3), ms.float32",
        "T(3), ms.bool_",
        "C(2), ms.float32",
        "2.5, ms.int32",
    ),
    errors=(("T(2), 'x'", "dtype"),),
)
def cast(input: object, dtype: mstype.TypeLike) -> Tensor:
    """Return the input with its elements converted to `dtype`; floats are cut to integers towards zero.

    Args:
        input: A Tensor or number.
        dtype: The dtype; a Tensor that has it already is returned unchanged, a Parameter as a view.

    Raises:
        TypeError: If `dtype` is none.

    Examples:
        >>> ops.cast(Tensor([-1.5, 2.5]), ms.int32).asnumpy()
        array([-1,  2], dtype=int32)
    """
    target = mstype.to_numpy(dtype)
    if isinstance(input, Tensor) and input._data.dtype == target:
        if input.param_info is None:
            return input
        if current.get().compute_dtype is None:  # else its operands are cast
            return _alike(input)
    return _convert(input, target)


# --- what a Tensor is, as values ------------------------------------------------------------------------------------


@composite(
    ref="numpy.shape",
    cases=("T(2, 3)", "T()"),
    errors=(("None", "expected a Tensor"),),
    primitive="Shape()(x)",
    aliases="shape_(x)",
)
def shape(input_x: Tensor) -> tuple[int, ...]:
    """Return the sizes of the axes as a tuple.

    Args:
        input_x: A Tensor.

    Raises:
        TypeError: If it is none.

    Examples:
        >>> ops.shape(ops.zeros((2, 3)))
        (2, 3)
    """
    return _tensor("shape", input_x).shape


@composite(
    ref="references.array.shape_of",
    cases=("T(2, 3)",),
    errors=(("None", "expected a Tensor"),),
    grad=0,
    primitive=("TensorShape()", "DynamicShape(dtype=9)"),
)
def dyn_shape(input_x: Tensor) -> Tensor:
    """Return the sizes of the axes as an int64 Tensor.

    Args:
        input_x: A Tensor.

    Raises:
        TypeError: If it is none.

    Examples:
        >>> ops.dyn_shape(ops.zeros((2, 3))).asnumpy()
        array([2, 3])
    """
    return Tensor(np.asarray(_tensor("dyn_shape", input_x).shape, np.int64))


@composite(cases=("T(2, 3)",), errors=(("None", "expected a Tensor"),), primitive="Rank()(x)")
def rank(input_x: Tensor) -> int:
    """Return the number of axes.

    Args:
        input_x: A Tensor.

    Raises:
        TypeError: If it is none.

    Examples:
        >>> ops.rank(ops.zeros((2, 3)))
        2
    """
    return _tensor("rank", input_x).ndim


@composite(cases=("T(2, 3)",), errors=(("None", "expected a Tensor"),), primitive="Size()", aliases="numel(input)")
def size(input_x: Tensor) -> int:
    """Return the number of elements.

    Args:
        input_x: A Tensor.

    Raises:
        TypeError: If it is none.

    Examples:
        >>> ops.size(ops.zeros((2, 3)))
        6
    """
    return _tensor("size", input_x).size


@composite(cases=("T(2, 3)",), errors=(("None", "expected a Tensor"),), primitive="DType()")
def dtype(x: Tensor) -> mstype.Type:
    """Return the dtype of the elements.

    Args:
        x: A Tensor.

    Raises:
        TypeError: If it is none.

    Examples:
        >>> ops.dtype(ops.zeros((2, 3)))
        mindspore.float32
    """
    return _tensor("dtype", x).dtype


def _tensor(name: str, value: object) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"ops.{name}: expected a Tensor, got {type(value).__name__}.")
    return value
