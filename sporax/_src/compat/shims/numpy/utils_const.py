"""The error and the checks of axes and shapes of `mindspore.numpy.utils_const`.

mindscience (`sponge/control/controller.py`) raises the error. MindSpore's own tests use _canonicalize_axis and _infer_out_shape.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np


def _raise_value_error(info: str, param: object = None) -> NoReturn:
    """Raise ValueError that says `info`, and a value behind it."""
    raise ValueError(info if param is None else f"{info}{param}")


def _check_axis_in_range(axis: object, ndim: int) -> int:
    """Return an axis counted from the front.

    Raises:
        TypeError: If it is no int.
        ValueError: If there is no such axis.
    """
    if not isinstance(axis, int):
        raise TypeError(f"axes should be integers, not {type(axis)}")
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim


def _canonicalize_axis(axis: Any, ndim: int) -> Any:
    """Return an axis, or axes in ascending order, counted from the front; a single one as an int.

    Raises:
        TypeError: If one is no int.
        ValueError: If one is out of range, or given twice.
    """
    axes = tuple(sorted(_check_axis_in_range(a, ndim) for a in ([axis] if isinstance(axis, int) else axis)))
    if len(set(axes)) < len(axes):
        raise ValueError(f"duplicate axes in {axes}.")
    return axes[0] if len(axes) == 1 else axes


def _infer_out_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that Tensors of these shapes broadcast to.

    Raises:
        ValueError: If they do not.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"operands could not be broadcast together with shapes {shapes}") from None
