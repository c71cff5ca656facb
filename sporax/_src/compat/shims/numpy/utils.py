"""What functions of `mindspore.numpy` make of their arguments; mindscience (`sponge/function/functions.py`) imports it."""

from __future__ import annotations

from typing import Any

from sporax import Tensor, float32, float64, int32, int64

_NARROW = {float64: float32, int64: int32}


def _convert_64_to_32(tensor: Tensor) -> Tensor:
    """Return float64 as float32 and int64 as int32, other types as they are."""
    return tensor.astype(_NARROW.get(tensor.dtype, tensor.dtype))


def _to_tensor(*args: object) -> Any:
    """Return each argument as a Tensor, numbers and lists of 32 bits; one alone by itself, several as a tuple.

    Raises:
        TypeError: If one is no number, list, tuple or Tensor.
    """
    tensors = tuple(arg if isinstance(arg, Tensor) else _convert_64_to_32(_tensor(arg)) for arg in args)
    return tensors[0] if len(tensors) == 1 else tensors


def _tensor(arg: object) -> Tensor:
    if isinstance(arg, Tensor):
        return arg
    if not isinstance(arg, (int, float, bool, list, tuple)):
        raise TypeError(f"Expect input to be array like, got {type(arg).__name__}.")
    return Tensor(arg)
