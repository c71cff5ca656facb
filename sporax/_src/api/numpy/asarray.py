"""What the functions of `numpy` share: array-likes become Tensors first, and functions register in one dict."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import numpy as np
from numpy.typing import ArrayLike

from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, UnequalLengths
from sporax._src.engine.table import internal
from sporax._src.ops.array.cast import cast

NUMPY: dict[str, Any] = {}

_NARROW = {np.dtype(np.int64): mstype.int32, np.dtype(np.float64): mstype.float32}
_GENERIC = {int: mstype.int32, float: mstype.float32, bool: mstype.bool_, "int": mstype.int32, "float": mstype.float32}

_F = TypeVar("_F", bound=Callable[..., Any])


def public(*names: str) -> Callable[[_F], _F]:
    """Register a function over Tensors under the given names, or its own."""

    def register(fn: _F) -> _F:
        for name in names or (fn.__name__,):
            NUMPY[name] = fn
        return fn

    return register


def row(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a pure function over arrays as a function over array-likes.

    Arguments annotated `Array`, `OptArray` and `Arrays` become Tensors, as `asarray` makes them; others are attributes.
    """

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        called = names or (fn.__name__.rstrip("_"),)
        kernel = internal(f"numpy.{called[0]}")(fn)
        kinds = {n: str(p.annotation) for n, p in inspect.signature(fn).parameters.items()}
        order = [kinds[n] for n in kinds]

        @functools.wraps(fn)
        def function(*args: object, **kwargs: object) -> Any:
            operands = [_operand(k, a) for k, a in zip(order, args, strict=False)]
            return kernel(
                *operands, *args[len(order) :], **{n: _operand(kinds.get(n, ""), a) for n, a in kwargs.items()}
            )

        function.raw = fn  # type: ignore[attr-defined]
        for name in called:
            NUMPY[name] = function
        return function

    return register


def _operand(kind: str, value: Any) -> Any:
    if kind == "Arrays":
        return [asarray(v) for v in value]
    return asarray(value) if kind == "Array" or (kind == "OptArray" and value is not None) else value


def as_dtype(dtype: mstype.TypeLike) -> mstype.Type:
    """Return the type that `dtype` names; Python's `int` and `float` are the 32-bit types here.

    Raises:
        TypeError: If it names none.
    """
    try:
        return _GENERIC[dtype] if isinstance(dtype, (type, str)) and dtype in _GENERIC else mstype.as_type(dtype)
    except TypeError:
        raise TypeError(f"dtype must be a number type such as mindspore.float32, got {dtype!r}.") from None


def np_dtype(dtype: mstype.TypeLike, default: Any) -> np.dtype:
    """Return the NumPy dtype that `dtype` names, or the default for None."""
    return mstype.to_numpy(default if dtype is None else as_dtype(dtype))


@public()
def asarray(a: ArrayLike, dtype: mstype.TypeLike | None = None) -> Tensor:
    """Return a Tensor of a number, nested sequence, NumPy array or Tensor.

    Args:
        a: The values; Python integers become int32 and floats float32; arrays and Tensors keep their dtype.
        dtype: The dtype wanted.

    Raises:
        TypeError: If `a` holds no numbers.
        ValueError: If the lengths of nested sequences differ.

    Examples:
        >>> ms.numpy.asarray([1, 2]).dtype
        mindspore.int32
    """
    if isinstance(a, Tensor):
        return a if dtype is None else cast(a, as_dtype(dtype))
    if not isinstance(a, (bool, int, float, list, tuple, np.ndarray, np.generic, jax.Array)):
        raise TypeError(f"numpy.asarray: expected a Tensor, number, list or tuple, got {type(a).__name__}.")
    try:
        tensor = Tensor(a) if dtype is None else Tensor(a, as_dtype(dtype))
    except UnequalLengths as error:
        raise ValueError(str(error).replace("Tensor", "numpy.asarray", 1)) from None
    if dtype is not None:
        return tensor
    wide = tensor._data.dtype
    return Tensor(tensor, _NARROW[wide]) if wide in _NARROW and not isinstance(a, np.ndarray) else tensor


def typed(value: object, dtype: mstype.TypeLike | None) -> Any:
    """Return the Tensor in the dtype asked for, or as it is for None."""
    return value if dtype is None else cast(value, as_dtype(dtype))
