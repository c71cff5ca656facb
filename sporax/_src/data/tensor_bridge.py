"""The only link between rows of NumPy arrays and the framework's Tensor."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.numpy_integers import as_served

_PLAIN = (int, float, bool, str, bytes, np.generic)


def _no_tensor(value: object) -> bool:
    return False


class _Hook:
    """How the package above makes, recognises and types Tensors; without it rows stay NumPy arrays."""

    make: Callable[[np.ndarray], Any] | None = None
    is_tensor: Callable[[Any], bool] = staticmethod(_no_tensor)
    numpy_dtype: Callable[[Any], Any] | None = None


def set_tensor_type(
    factory: Callable[[np.ndarray], Any] | None,
    is_tensor: Callable[[Any], bool] = _no_tensor,
    *,
    numpy_dtype: Callable[[Any], Any] | None = None,
) -> None:
    """Register how iterators turn arrays into Tensors.

    Args:
        factory (Callable, optional): Makes a Tensor of one array; ``None`` leaves rows as arrays.
        is_tensor (Callable): Says whether a value from a user's function is a Tensor (which has ``asnumpy()``).
        numpy_dtype (Callable, optional): Turns the framework's dtype objects into NumPy's.
    """
    _Hook.make, _Hook.is_tensor, _Hook.numpy_dtype = factory, staticmethod(is_tensor), numpy_dtype


def to_tensor(value: object) -> Any:
    """Return `value` as a Tensor; containers are converted inside."""
    if isinstance(value, np.ndarray):
        return value if _Hook.make is None else _Hook.make(value)
    if isinstance(value, dict):
        return {key: to_tensor(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(to_tensor(item) for item in value)
    return to_tensor(np.asarray(value)) if isinstance(value, _PLAIN) else value


def to_output_numpy(value: object) -> Any:
    """Return `value` with every plain number inside a dictionary as an array."""
    return as_served(value) if isinstance(value, np.ndarray) else _with_arrays(value)


def _with_arrays(value: object) -> Any:
    if isinstance(value, dict):
        return {key: _with_arrays(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_with_arrays(item) for item in value)
    return np.asarray(value) if isinstance(value, _PLAIN) else value


def as_array(value: object, *, copy: bool = False) -> Any:
    """Return one column's value as an array; dictionaries pass as they are.

    Raises:
        TypeError: If NumPy can only hold `value` as an object.
    """
    if type(value) is np.ndarray and value.dtype.kind != "O" and value.dtype.isnative:
        return value.copy() if copy else value
    if isinstance(value, dict):
        return deepcopy(value) if copy else value
    if _Hook.is_tensor(value):
        tensor: Any = value
        return np.array(tensor.asnumpy())
    try:
        array = np.array(value) if copy else np.asarray(value)
    except ValueError as error:
        raise TypeError(f"expected numbers, text or arrays of one shape, got {describe(value)}: {error}") from error
    if array.dtype.kind == "O":
        raise TypeError(f"expected numbers, text or arrays, got {type(value).__name__}: {describe(value)}")
    # OpenCV and others would read bytes of the other order as they are.
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def as_row(value: Any, *, copy: bool = False) -> tuple[Any, ...]:
    """Return the result of a source as one array per column.

    Examples:
        >>> from sporax._src.data.tensor_bridge import as_row
        >>> as_row((1, [2.0, 3.0]))
        (array(1), array([2., 3.]))
    """
    if isinstance(value, (np.ndarray, dict, *_PLAIN)) or _Hook.is_tensor(value):
        return (as_array(value, copy=copy),)
    try:
        items = iter(value)
    except TypeError:
        return (as_array(value, copy=copy),)
    return tuple(as_array(item, copy=copy) for item in items)


def as_dtype(dtype: object) -> np.dtype:
    """Return `dtype` (NumPy's, the framework's, or a name such as ``"float32"``) as a NumPy dtype.

    Raises:
        TypeError: If `dtype` names no array type.
    """
    plain = isinstance(dtype, (str, type, np.dtype))
    # The framework's reading, NumPy's, and last the name that the type prints ("Float32", "mindspore.float32").
    readings = [np.dtype, _by_name] if plain or _Hook.numpy_dtype is None else [_Hook.numpy_dtype, np.dtype, _by_name]
    for read in readings:
        try:
            return np.dtype(read(dtype))
        except TypeError:
            continue
    raise TypeError(f"expected a data type such as float32, got {describe(dtype)}")


def _by_name(dtype: object) -> np.dtype:
    name = str(dtype).rsplit(".", 1)[-1].lower()
    return np.dtype({"string": "str"}.get(name, name))
