"""What the functions of `mindspore.numpy` make of their arguments."""

from __future__ import annotations

from typing import Any

from sporax import Tensor, float32, float64, int32, int64

__all__ = ["_to_tensor"]

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
