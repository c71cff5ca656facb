"""Loops and branches as functions: `cond`, `while_loop`, `scan`, `fori_loop`, and their Cell-like forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.core.scope import traceable, tracing
from sporax._src.core.tensor import Tensor
from sporax._src.ops.array.joining import stack
from sporax._src.ops.math.norms import condition_number
from sporax._src.transform.controlflow.branches import is_traced, select
from sporax._src.transform.controlflow.loops import Loop, TracedRange, for_stmt


def _check(name: str, **functions: object) -> None:
    for label, fn in functions.items():
        if not callable(fn):
            raise TypeError(f"ops.{name}: {label} must be a function, got {describe(fn)}.")


def cond(A: Any, p: Any = None, *rest: Any) -> Any:
    """Return the condition number, `cond(A, p=None)`, or a branch, `cond(pred, true_func, false_func, *args)`.

    The result of the branch is `true_func(*args)` if `pred` is true, else `false_func(*args)`; in a graph only the
    selected branch runs.

    Args:
        A: A Tensor (..., N, N) of floats or complex numbers; or `pred`: a bool, or a Tensor of one element.
        p: The norm: "fro", "nuc", ±1, ±2 or ±∞, 2 if None; or `true_func`.
        *rest: `false_func`, whose result has the structure, shape and dtype of that of `true_func`, and the arguments of both.

    Raises:
        TypeError: If `A` is not of a float or complex dtype, or an argument is not a function.
        ValueError: If the matrices are not square, or `p` is not such a norm.

    Examples:
        >>> import sporax as ms
        >>> ms.ops.cond(ms.Tensor([[4.0, 0.0], [0.0, 2.0]])).item()
        2.0
        >>> ms.ops.cond(ms.Tensor(True), lambda x: x + 1, lambda x: x - 1, ms.Tensor(1.0)).item()
        2.0
    """
    if not rest and not callable(p):
        return condition_number(A, p)
    pred, args = A, rest[1:]
    true_func: Any = p
    false_func: Any = next(iter(rest), None)
    _check("cond", true_func=true_func, false_func=false_func)
    if is_traced(pred):
        return select(pred, lambda: traceable(true_func)(*args), lambda: traceable(false_func)(*args), "the result")
    return traceable(true_func if pred else false_func)(*args)


def while_loop(cond_func: Callable[..., Any], loop_func: Callable[..., Any], init_val: object) -> Any:
    """Apply `loop_func` to a value, first `init_val`, as long as `cond_func` of it is true; return the last value.

    Args:
        cond_func: Returns a bool or a Tensor of one element.
        loop_func: Returns a value of the structure of `init_val`.
        init_val: The first value.
    """
    _check("while_loop", cond_func=cond_func, loop_func=loop_func)
    cond_func, loop_func = traceable(cond_func), traceable(loop_func)
    box = [init_val]

    def put(values: Any) -> None:
        box[0] = values[0]

    def step() -> None:
        box[0] = loop_func(box[0])

    if tracing() and is_traced(going := cond_func(init_val)):
        names = ("the value of while_loop",)
        return Loop(going, lambda: cond_func(box[0]), step, lambda: (box[0],), put, names).run()[0]
    while cond_func(box[0]):
        step()
    return box[0]


def fori_loop(
    lower: Any, upper: Any, loop_func: Callable[[Any, Any], Any], init_val: object, unroll: bool = True
) -> Any:
    """Return `init_val` after `loop_func(i, value)` for i from `lower` up to `upper`; `unroll` has no effect."""
    _check("fori_loop", loop_func=loop_func)
    loop_func = traceable(loop_func)
    box = [init_val]

    def put(values: Any) -> None:
        box[0] = values[0]

    def step(i: object) -> None:
        box[0] = loop_func(i, box[0])

    bounds = TracedRange(lower, upper) if is_traced(lower) or is_traced(upper) else range(int(lower), int(upper))
    for_stmt(bounds, None, step, lambda: (box[0],), put, ("the value of fori_loop",), None)
    return box[0]


def scan(
    loop_func: Callable[[Any, Any], Any], init: object, xs: Any, length: int | None = None, loop_unroll: bool = True
) -> Any:
    """Return `(carry, ys)`: `carry, y = loop_func(carry, x)` over the elements of `xs`, `ys` the list of the `y`.

    Args:
        loop_func: Takes the carry and a slice, returns the carry and a result.
        init: The first carry.
        xs: A list or tuple, None (`length` is then the number of steps), or a Tensor, which is sliced along its first
            axis. For a Tensor, results that are Tensors are stacked.
        length: The number of steps.
        loop_unroll: Accepted for MindSpore programs.

    Raises:
        ValueError: If `length` does not fit `xs`.
    """
    _check("scan", loop_func=loop_func)
    count = length if xs is None else len(xs)
    if count is None or (length is not None and length != count):
        raise ValueError(f"ops.scan: length must be the length of xs, got length={length} and xs {describe(xs)}.")
    carry, ys, loop_func = init, [], traceable(loop_func)
    for i in range(count):
        carry, y = loop_func(carry, None if xs is None else xs[i])
        ys.append(y)
    stacked = isinstance(xs, Tensor) and ys and all(isinstance(y, Tensor) for y in ys)
    return carry, stack(ys) if stacked else ys


class WhileLoop:
    """`WhileLoop()(cond_func, loop_func, init_val)`, see `while_loop`."""

    def __call__(self, cond_func: Callable[..., Any], loop_func: Callable[..., Any], init_val: object) -> Any:
        return while_loop(cond_func, loop_func, init_val)


class ForiLoop:
    """`ForiLoop()(lower, upper, loop_func, init_val)`, see `fori_loop`."""

    def __call__(
        self, lower: object, upper: object, loop_func: Callable[[Any, Any], Any], init_val: object, unroll: bool = True
    ) -> Any:
        return fori_loop(lower, upper, loop_func, init_val, unroll)


class Scan:
    """`Scan()(loop_func, init, xs, length)`, see `scan`."""

    def __call__(
        self,
        loop_func: Callable[[Any, Any], Any],
        init: object,
        xs: object,
        length: int | None = None,
        unroll: bool = True,
    ) -> Any:
        return scan(loop_func, init, xs, length, unroll)
