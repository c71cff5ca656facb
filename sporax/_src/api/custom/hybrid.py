"""Kernels in MindSpore's hybrid language: Python functions with loops over elements, that run on NumPy arrays."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sporax._src.api.primitives.higher_order import PUBLIC


def _allocate(shape: Sequence[int], dtype: Any = "float32", scope: str = "global") -> np.ndarray:
    return np.zeros(shape, dtype)


def _scope(*args: object, **kwargs: object) -> Any:
    return contextlib.nullcontext()


_WORDS: dict[str, Any] = {
    "allocate": _allocate,
    "output_tensor": _allocate,
    "serial": range,
    "vectorize": range,
    "parallel": range,
    "reduce": range,
    "grid": lambda extents: itertools.product(*map(range, extents)),
    "attr": _scope,
    "block_realize": _scope,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": np.vectorize(math.erf),
    "ceil_div": lambda a, b: -(-a // b),
    "atan": np.arctan,
    "atan2": np.arctan2,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    **{name: getattr(np, name) for name in "sqrt sign log tanh exp sin cos expm1 floor ceil trunc power".split()},
    **{name: getattr(np, name) for name in "int8 int16 int32 int64 float16 float32 float64".split()},
}
"""The language's words beyond Python's; a name that the function's module defines goes first."""


def kernel(fn: Callable[..., Any] | None = None, reg_info: object = None, compile_attrs: object = None) -> Any:
    """Make the names of the hybrid language known to a function of NumPy arrays, for `ops.Custom`.

    The names: `output_tensor(shape, dtype)` and `allocate(shape, dtype)` return arrays; `serial`, `parallel`, `vectorize`
    and `reduce` are `range`, `grid(extents)` runs over a product of ranges; `with block_realize(c):` and
    `with attr(...):` mark blocks; `sqrt`, `exp`, `erf`, `rsqrt`, `float32` and others act on numbers.

    Args:
        fn: The function; without one, a decorator is returned.
        reg_info: Accepted: what dtypes an accelerator's kernel takes.
        compile_attrs: A dict, accepted: how an accelerator's kernel is compiled.

    Raises:
        TypeError: If `fn` is not a function or `compile_attrs` not a dict.

    Examples:
        >>> import numpy as np
        >>> @ops.kernel
        ... def twice(a):
        ...     c = output_tensor(a.shape, a.dtype)
        ...     for i in range(a.shape[0]):
        ...         c[i] = 2 * a[i]
        ...     return c
        >>> twice(np.array([1.0, 2.0]))
        array([2., 4.])
    """
    if compile_attrs is not None and not isinstance(compile_attrs, dict):
        raise TypeError(f"ops.kernel: compile_attrs must be a dict, got {type(compile_attrs).__name__}.")
    if fn is None:
        return functools.partial(kernel, reg_info=reg_info, compile_attrs=compile_attrs)
    if not isinstance(fn, types.FunctionType):
        raise TypeError(f"ops.kernel: expected a function, got {type(fn).__name__}.")
    function = types.FunctionType(
        fn.__code__, {**_WORDS, **fn.__globals__}, fn.__name__, fn.__defaults__, fn.__closure__
    )
    functools.update_wrapper(function, fn)
    function.is_kernel = True
    return function


def automatic(func: object) -> bool:
    """Return whether running a function determines the shapes and dtypes of its results."""
    return getattr(func, "is_kernel", False)


PUBLIC.update({"kernel": kernel, "ms_kernel": kernel})
