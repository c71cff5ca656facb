"""Derivatives of pure functions of arrays, with MindSpore's conventions for complex numbers and integers.

**Complex arrays.** The gradient of a real L with respect to z is ∂L/∂Re z + i·∂L/∂Im z, the direction in which L grows;
JAX computes the conjugate of this. Cotangents are conjugated on the way into JAX's pullback, gradients on the way out.

**Integers.** JAX does not differentiate with respect to integers. An integer that a gradient depends on has a float
counterpart, its `Shadow`.
A function of integers runs twice: on the integers for its values, on the shadows for its derivative. A gradient that
    reaches an integer is truncated to a whole number, like a conversion. But a function of integers with float results
    (a / b, the square root) passes float gradients to the integers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import is_of_current_trace
from sporax._src.base.typing import Array
from sporax._src.core.derivative import instead
from sporax._src.core.tape import zeros


def is_inexact(array: Array) -> bool:
    """Return whether the values are floats or complex."""
    return array.dtype.kind in "fcV"


def has_gradient(array: Array) -> bool:
    """Return whether values of this dtype can have a gradient: they are numbers."""
    return array.dtype.kind in "fcViu"


def mirror(array: Array) -> Any:
    """Return the conjugate: from JAX's convention for a complex gradient to ours, and back."""
    return jnp.conj(array) if array.dtype.kind == "c" else array


class Shadow:
    """The float counterpart of an integer array.

    Attributes:
        of: The integer array.
        array: The float for which derivatives are computed.
        floats: Whether a float gradient reaches it.
    """

    __slots__ = ("array", "floats", "of")

    def __init__(self, of: Array, array: Array) -> None:
        self.of, self.array, self.floats = of, array, False

    def of_copy(self, copy: Array) -> Shadow:
        """Return the shadow for a copy of its array."""
        self.of = copy
        return self

    def operand(self, dtype: np.dtype | None, native: bool) -> Any:
        """Return the float operand for a function with results of `dtype` (None: no floats); `native`: it takes only integers."""
        array: Any = self.array if native else _whole_back(self.array, self.of.dtype)
        return array if dtype is None else array.astype(jnp.finfo(dtype).dtype)

    def gradient(self) -> Callable[[Any], Any]:
        """Return the function from the gradient of the float to the gradient of the integer."""
        floats, dtype = self.floats, self.of.dtype
        return lambda gradient: gradient.astype(np.float32) if floats else whole(gradient, dtype)


def start(array: Array) -> Any:
    """Return the variable for a derivative with respect to `array`: the array, or floats equal to its integers."""
    return array if is_inexact(array) else array.astype(np.float64 if array.dtype.itemsize > 2 else np.float32)


def whole(gradient: Array, dtype: np.dtype) -> Any:
    """Return the gradient of an integer in the dtype of the integer."""
    return gradient.astype(np.int64).astype(dtype)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def _whole_back(x: Array, dtype: np.dtype) -> Any:
    """Return x; its gradient is truncated like that of an integer."""
    return x


_whole_back.defvjp(lambda x, dtype: (x, None), lambda dtype, _, ct: (instead(whole(ct, dtype).astype(ct.dtype), ct),))


Shadowed = Callable[[Callable[..., Any], Sequence[Any], Sequence[Shadow | None]], tuple[Any, list[Any]]]


def shadowed(
    fn: Callable[..., Any], data: Sequence[Any], operand_shadows: Sequence[Shadow | None], casts: bool
) -> tuple[Any, list[Any]]:
    """Run a function of which some operands have shadows; return its result, and the shadow (or None) of each array in it.

    Args:
        fn: A function of arrays that returns an array or a tuple of arrays.
        data: Its operands.
        operand_shadows: The shadow of each operand, or None.
        casts: Whether the function converts its one operand to another dtype, through which gradients pass to integers.
    """
    out = fn(*data)
    outs = out if isinstance(out, tuple) else (out,)
    dtype = next((o.dtype for o in outs if is_inexact(o)), None)
    if not any(operand_shadows) and (dtype is not None or not casts):
        return out, [None] * len(outs)
    native = not casts and all(map(is_inexact, outs)) and not any(is_inexact(jnp.asarray(d)) for d in data)
    operands = [d if s is None else s.operand(dtype, native) for d, s in zip(data, operand_shadows, strict=True)]
    soft = operands if casts and dtype is None else _on_floats(fn, data, operands, dtype is not None)
    if soft is None:
        return out, [None] * len(outs)
    for shadow in operand_shadows:
        if shadow is not None and native:
            shadow.floats = True
    shadows: list[Any] = []
    joined = []
    for o, s in zip(outs, soft, strict=True):
        fits = is_inexact(s) and s.shape == o.shape
        joined.append(instead(o, s.astype(o.dtype)) if fits and is_inexact(o) else o)
        shadows.append(_whole_back(s, o.dtype) if fits and o.dtype.kind in "iu" else None)
    return tuple(joined) if isinstance(out, tuple) else joined[0], shadows


def _on_floats(
    fn: Callable[..., Any], data: Sequence[Any], operands: Sequence[Any], enough: bool
) -> Sequence[Any] | None:
    """Return the results with floats instead of integers, or None if the function takes no floats.

    Integers that must stay integers, because they are indices, are kept. If the results are still integers, an operand without
    shadow determined their dtype: it becomes a float, too.
    """
    with jax.numpy_dtype_promotion("standard"):
        soft = _tried(fn, operands)
        if soft is None:
            mixed = list(data)
            for i, (hard, shadow) in enumerate(zip(data, operands, strict=True)):
                trial = None if shadow is hard else _tried(fn, [*mixed[:i], shadow, *mixed[i + 1 :]])
                if trial is not None:
                    soft, mixed[i] = trial, shadow
            operands = mixed
        if soft is None or enough or any(map(is_inexact, soft)):
            return soft
        return _tried(fn, [start(x) if x.dtype.kind in "iu" else x for x in map(jnp.asarray, operands)])


def _tried(fn: Callable[..., Any], operands: Sequence[Any]) -> Sequence[Any] | None:
    """Return the results as a sequence; None if the function fails because it works on bits or takes indices."""
    try:
        out = fn(*operands)
    except Exception:
        return None
    return out if isinstance(out, tuple) else (out,)


def run_shadowed(
    fn: Callable[..., Any], data: Sequence[Any], table: MutableMapping[int, Shadow], shadowed: Shadowed
) -> Any:
    """Run a function in a trace; `table` has the shadows of integer arrays, by `id`."""
    operand_shadows = [table.get(id(d)) for d in data]
    if not any(operand_shadows):
        return fn(*data)
    out, shadows = shadowed(fn, data, operand_shadows)
    for o, s in zip(out if isinstance(out, tuple) else (out,), shadows, strict=True):
        if s is not None and id(o) not in table:
            table[id(o)] = Shadow(o, s)
    return out


def vjp(
    fn: Callable[..., Any], wrt: Sequence[int], arrays: Sequence[Any], shadowed: Shadowed
) -> tuple[Any, Callable[[Sequence[Any]], tuple[Any, ...]], list[bool]]:
    """Return the result of `fn(*arrays)`, its pullback, and whether each array of the result depends on the operands `wrt`.

    The pullback is the function from cotangents to the gradients of the operands `wrt`. It is a pytree. A cotangent is given for
    each array of the result; None stands for zeros.

    Args:
        fn, arrays: The function and its operands.
        wrt: The operands to differentiate.
        shadowed: How `fn` runs on operands with shadows.
    """
    shadows: dict[int, Shadow] = {}
    avals: list[Any] = []  # of the results that depend on the operands; None for the others

    def of_diff(*diff: Array) -> tuple[list[Any], Any]:
        full: list[Any] = list(arrays)
        operand_shadows: list[Shadow | None] = [None] * len(full)
        for i, d in zip(wrt, diff, strict=True):
            if is_inexact(arrays[i]):
                full[i] = d
            else:
                operand_shadows[i] = shadows[i] = Shadow(arrays[i], d)
        out, softs = shadowed(fn, full, operand_shadows)
        outs = out if isinstance(out, tuple) else (out,)
        mains = [o if is_inexact(o) else s for o, s in zip(outs, softs, strict=True)]
        mains = [m if is_of_current_trace(m) else None for m in mains]
        avals.extend([None if m is None else jax.typeof(m) for m in mains])
        return [m for m in mains if m is not None], out

    _, pullback, out = jax.vjp(of_diff, *[start(arrays[i]) for i in wrt], has_aux=True)
    finish = [shadows[i].gradient() if i in shadows else mirror for i in wrt]

    def pull(pullback: Callable[..., Any], cts: Sequence[Any]) -> tuple[Any, ...]:
        cotangents = [
            zeros(a) if c is None else mirror(c.astype(a.dtype))
            for c, a in zip(cts, avals, strict=True)
            if a is not None
        ]
        return tuple([f(g) for f, g in zip(finish, pullback(cotangents), strict=True)])

    return out, jax.tree_util.Partial(pull, pullback), [a is not None for a in avals]
