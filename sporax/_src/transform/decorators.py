"""Decorators and marks for functions and values: `no_grad`, `mutable`, `jit_class`, `recompute` and others."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any

import jax

from sporax._src.base.errors import describe
from sporax._src.core import tree
from sporax._src.core.scope import tracing
from sporax._src.core.stateful import Stateful
from sporax._src.core.tape import refusing
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.transform.functional import Traced, adopt, functional, split

STRICT, COMPATIBLE, LAX = 0, 1, 2  # MindSpore's levels of Python syntax; here all levels accept all syntax


class no_grad(contextlib.ContextDecorator):
    """A context and decorator in which PyNative mode records nothing for gradients; taking one raises RuntimeError.

    Examples:
        >>> import sporax as ms
        >>> def f(x):
        ...     with ms.no_grad():
        ...         y = x * x
        ...     return x * y
        >>> ms.grad(f)(ms.Tensor(3.0)).item()
        9.0
    """

    def __init__(self) -> None:
        self._entered: list[Any] = []  # the block is reentrant

    def _recreate_cm(self) -> no_grad:
        """Return a new block for one call of a decorated function, which several threads may call (see ContextDecorator)."""
        return type(self)()

    def __enter__(self) -> no_grad:
        self._entered.append(refusing())
        self._entered[-1].__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.pop().__exit__(*error)


_MARKED = {tuple: tree.MutableTuple, list: tree.MutableList, dict: tree.MutableDict}


def mutable(input_data: object, dynamic_len: bool = False) -> Any:
    """Return the value with a mark: a gradient with respect to it is computed.

    Tensors need no mark. With the mark, `grad` differentiates with respect to a tuple, list or dict among the
    arguments. Without it, a container of Tensors is a constant, as in MindSpore.

    Args:
        input_data: A Tensor, number, or nested tuple, list or dict of them.
        dynamic_len: Accepted for MindSpore programs.

    Raises:
        TypeError: If the value has another type.

    Examples:
        >>> import sporax as ms
        >>> pair = ms.mutable((ms.Tensor(2.0), ms.Tensor(3.0)))
        >>> ms.grad(lambda p: p[0] * p[1])(pair)
        (Tensor(shape=[], dtype=Float32, value= 3), Tensor(shape=[], dtype=Float32, value= 2))
    """
    if not isinstance(input_data, (Tensor, int, float, tuple, list, dict)):
        raise TypeError(f"mutable: expected a Tensor, number, tuple, list or dict, got {describe(input_data)}.")
    kind = _MARKED.get(type(input_data))
    if kind is None:
        return input_data
    marked = kind(input_data)
    marked.__ms_origin_object__ = input_data
    return marked


def jit_class(cls: type) -> type:
    """Return the class: any class can be used in a graph.

    Args:
        cls: The class.

    Raises:
        TypeError: If `cls` is no class, or a Cell, which is compiled without the mark.
    """
    if not isinstance(cls, type):
        raise TypeError(f"jit_class: expected a class, got {describe(cls)}.")
    if issubclass(cls, Stateful):
        raise TypeError(f"jit_class: expected a class that is no Cell, got {describe(cls)}.")
    return cls


def lazy_inline(fn: Callable[..., Any] | None = None, attrs: object = None, policy: object = None) -> Any:
    """Return the method unchanged: XLA compiles a Cell that is used many times only once anyway."""
    return (lambda f: f) if fn is None else fn


def no_inline(fn: Callable[..., Any] | None = None) -> Any:
    """Return the function unchanged: XLA decides which calls of a graph it shares."""
    return (lambda f: f) if fn is None else fn


def enable_dynamic(**kwargs: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator without effect: in sporax a function has a separate graph for each shape.

    Args:
        **kwargs: For arguments of the function, Tensors whose unknown sizes are None.

    Raises:
        ValueError: If no argument is named.
    """
    if not kwargs:
        raise ValueError("enable_dynamic: name at least one argument, as in enable_dynamic(x=Tensor(shape=None, ...)).")
    return lambda fn: fn


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Set the limit of nested calls while a graph is built: Python's own recursion limit.

    Args:
        recursion_limit: An int > 0. A limit below the present one is not applied: Python and JAX need it themselves.

    Raises:
        TypeError, ValueError: If it is no int, or not > 0.
    """
    if isinstance(recursion_limit, bool) or not isinstance(recursion_limit, int):
        raise TypeError(f"set_recursion_limit: the input value must be int, got {describe(recursion_limit)}.")
    if recursion_limit <= 0:
        raise ValueError(f"set_recursion_limit: the input value must be int and must > 0, got {recursion_limit}.")
    sys.setrecursionlimit(max(recursion_limit, sys.getrecursionlimit()))


def recompute(
    block: Callable[..., Any],
    *args: object,
    use_reentrant: bool = True,
    output_recompute: bool = False,
    early_stop: bool = True,
    context_fn: Callable[[], tuple[Any, Any]] | None = None,
    **kwargs: object,
) -> Any:
    """Run a function or Cell whose intermediate values are computed again in the backward instead of kept.

    Args:
        block: The function.
        *args, **kwargs: Its arguments.
        use_reentrant, output_recompute, early_stop: Accepted: XLA decides what is computed again.
        context_fn: Returns two context managers, with `use_reentrant=False` only: the block runs within the first one;
            a backward here runs no code of the program, so that the second has no effect.

    Raises:
        TypeError: If `block` cannot be called.
        ValueError: If `context_fn` is given and `use_reentrant` is true.
    """
    if not callable(block):
        raise TypeError(f"recompute: block must be a Cell or a function, got {describe(block)}.")
    if context_fn is not None and use_reentrant:
        raise ValueError("recompute: context_fn needs use_reentrant=False.")
    with contextlib.nullcontext() if context_fn is None else context_fn()[0]:
        return checkpointed(block, args, kwargs) if tracing() else block(*args, **kwargs)


def recompute_block(block: Callable[..., Any], output_recompute: bool = False) -> Callable[..., Any]:
    """Return a function that runs a function or Cell as `recompute` does.

    Args:
        block: The function.
        output_recompute: Accepted: XLA decides whether results are kept.

    Raises:
        TypeError: If `block` cannot be called.

    Examples:
        >>> x = ms.Tensor([1.0, 2.0])
        >>> ms.ops.recompute_block(lambda x: x * x)(x).asnumpy()
        array([1., 4.], dtype=float32)
    """
    if not callable(block):
        raise TypeError(f"recompute_block: block must be a Cell or a function, got {describe(block)}.")
    return functools.partial(recompute, block)


def checkpointed(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run `fn` in the trace under `jax.checkpoint`."""
    tensors, structure = split((args, kwargs))
    seen = Traced()
    pure = functional(fn, [], structure, seen)
    outs, written = jax.checkpoint(lambda xs: pure([], xs))([t._data for t in tensors])
    adopt(seen.written, written)
    return tree.unflatten(seen.structure, iter([wrap(o) for o in outs]))
