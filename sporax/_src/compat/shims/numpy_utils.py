"""What the functions of `mindspore.numpy` make of their arguments, and ask of shapes and axes."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from sporax import Tensor, float32, float64, int32, int64

__all__ = ["_canonicalize_axis", "_infer_out_shape", "_raise_type_error", "_raise_value_error", "_to_tensor"]

_NARROW = {float64: float32, int64: int32}


def _to_tensor(*args: Any) -> Any:
    """Return each argument as a Tensor, numbers and lists of 32 bits; one alone by itself, several as a tuple.

    Raises:
        TypeError: If one is no number, list, tuple or Tensor.
    """
    found = tuple(_one(arg) for arg in args)
    return found[0] if len(found) == 1 else found


def _one(arg: Any) -> Tensor:
    if isinstance(arg, Tensor):
        return arg
    if not isinstance(arg, (int, float, bool, list, tuple)):
        raise TypeError(f"Expect input to be array like, got {type(arg).__name__}.")
    tensor = Tensor(arg)
    return tensor.astype(_NARROW.get(tensor.dtype, tensor.dtype))


def _raise_type_error(info: str, param: Any = None) -> NoReturn:
    """Raise TypeError that says `info`, and a value behind it."""
    raise TypeError(info if param is None else f"{info}{param}")


def _raise_value_error(info: str, param: Any = None) -> NoReturn:
    """Raise ValueError that says `info`, and a value behind it."""
    raise ValueError(info if param is None else f"{info}{param}")


def _infer_out_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that Tensors of these shapes broadcast to.

    Raises:
        ValueError: If they do not.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"operands could not be broadcast together with shapes {shapes}") from None


def _canonicalize_axis(axis: int | tuple[int, ...] | list[int], ndim: int) -> int | tuple[int, ...]:
    """Return an axis, or axes in ascending order, counted from the front; a single one as an int.

    Raises:
        ValueError: If one is out of range, or given twice.
    """
    given = (axis,) if isinstance(axis, int) else axis
    for a in given:
        if not -ndim <= a < ndim:
            raise ValueError(f"axis {a} is out of bounds for array of dimension {ndim}")
    axes = tuple(sorted([a % ndim for a in given]))
    if len(set(axes)) < len(axes):
        raise ValueError(f"duplicate axes in {axes}.")
    return axes[0] if len(axes) == 1 else axes
