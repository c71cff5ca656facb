"""Decorators of functions: the one of MindSpore 1.x that `jit` replaced, and one that marks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sporax import jit


def ms_function(
    fn: Callable[..., Any] | None = None, input_signature: Any = None, hash_args: Any = None, jit_config: Any = None
) -> Any:
    """Compile a function into a graph, as `jit` does.

    Args:
        fn: The function; None to use it as `ms_function(jit_config=...)`.
        input_signature, hash_args: Accepted; a graph is found by the shapes, types and values of its arguments.
        jit_config: A `JitConfig`.

    Examples:
        >>> import sporax as ms
        >>> from sporax._src.compat.shims.functions import ms_function
        >>> @ms_function
        ... def double(x):
        ...     return 2 * x
        >>> double(ms.Tensor([3])).item()
        6
    """
    options = {} if jit_config is None else {"jit_config": jit_config}
    return jit(**options) if fn is None else jit(fn, **options)


def _function_forbid_reuse(func: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function and return it: MindSpore must not put two calls of it into one, which no graph here does.

    Raises:
        TypeError: If it is no function.
    """
    if not inspect.isfunction(func):
        raise TypeError(f"_function_forbid_reuse: func must be a function, got {func!r}.")
    func.__function_forbid_reuse__ = True  # type: ignore[attr-defined]
    return func
