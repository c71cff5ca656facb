"""What the functions of `mindspore.numpy` make of their arguments, and ask of shapes, axes and types.

These are `mindspore.numpy.utils` and `mindspore.numpy.utils_const`, which copies of MindSpore's functions import from there.
"""

from __future__ import annotations

from typing import Any, NoReturn

from sporax import Tensor, float32, float64, int32, int64

__all__ = ["_convert_64_to_32", "_raise_value_error", "_to_tensor"]

_NARROW = {float64: float32, int64: int32}


def _convert_64_to_32(tensor: Tensor) -> Tensor:
    """Return float64 as float32 and int64 as int32, other types as they are."""
    return tensor.astype(_NARROW.get(tensor.dtype, tensor.dtype))


def _to_tensor(*args: Any) -> Any:
    """Return each argument as a Tensor, numbers and lists of 32 bits; one alone by itself, several as a tuple.

    Raises:
        TypeError: If one is no number, list, tuple or Tensor.
    """
    found = tuple(arg if isinstance(arg, Tensor) else _convert_64_to_32(_tensor(arg)) for arg in args)
    return found[0] if len(found) == 1 else found


def _tensor(arg: Any) -> Tensor:
    if isinstance(arg, Tensor):
        return arg
    if not isinstance(arg, (int, float, bool, list, tuple)):
        raise TypeError(f"Expect input to be array like, got {type(arg).__name__}.")
    return Tensor(arg)


def _raise_value_error(info: str, param: Any = None) -> NoReturn:
    """Raise ValueError that says `info`, and a value behind it."""
    raise ValueError(info if param is None else f"{info}{param}")
