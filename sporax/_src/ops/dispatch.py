"""How an operation runs: compiled and cached in PyNative mode, recorded under a gradient, inlined in a trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe, signature, with_head
from sporax._src.base.jax_compat import UNTRACEABLE, remove_weak_type
from sporax._src.core.scope import current
from sporax._src.core.tape import Node, tape, watched, zeros
from sporax._src.core.tensor import Tensor, to_array, wrap

_USER_ERRORS = (TypeError, ValueError, IndexError, OverflowError, NotImplementedError, ZeroDivisionError)


class Policy:
    """The dtype that `Cell.to_float` asks for while the Cell runs; None outside of one."""

    dtype: np.dtype | None = None


policy = Policy()


class Kernel:
    """A pure function of arrays and the compiled forms of it that PyNative mode calls."""

    __slots__ = ("_adjoints", "_casts", "_vjps", "fn", "name", "run", "shown")

    def __init__(self, fn: Callable[..., Any], name: str, shown: dict[str, Any] | None = None) -> None:
        self.fn = fn
        self.name = name
        self.shown = shown or {}
        self.run = jax.jit(self.definite)
        self._vjps: dict[tuple[int, ...], Any] = {}
        self._adjoints: dict[tuple[tuple[int, ...], int], Kernel] = {}
        self._casts: dict[np.dtype, Kernel] = {}

    def definite(self, *arrays: Any) -> Any:
        """Run the function and give every result a definite dtype."""
        out = self.fn(*arrays)
        if isinstance(out, (tuple, list)):
            return tuple([remove_weak_type(o) for o in out])
        return remove_weak_type(out)

    def vjp(self, wrt: tuple[int, ...]) -> Any:
        """Return the compiled `arrays -> (results, pullback)` that differentiates the operands `wrt`."""
        if wrt not in self._vjps:
            self._vjps[wrt] = jax.jit(lambda *arrays: _vjp(self.definite, wrt, arrays))
        return self._vjps[wrt]

    def adjoint(self, wrt: tuple[int, ...], count: int) -> Kernel:
        """Return the backward as a kernel of its own: `(*operands, *cotangents) -> gradients of the operands wrt`."""
        if (wrt, count) not in self._adjoints:

            def fn(*xs: Any) -> Any:
                return _vjp(self.definite, wrt, xs[:count])[1](tuple(xs[count:]))

            self._adjoints[wrt, count] = Kernel(fn, f"gradient of {self.name}")
        return self._adjoints[wrt, count]

    def cast(self, dtype: np.dtype) -> Kernel:
        """Return the kernel that casts float operands to `dtype` first."""
        if dtype not in self._casts:

            def fn(*arrays: Any) -> Any:
                return self.fn(*[_cast(a, dtype) for a in arrays])

            self._casts[dtype] = Kernel(fn, self.name, self.shown)
        return self._casts[dtype]


def _cast(a: Any, dtype: np.dtype) -> Any:
    return (
        a.astype(dtype) if hasattr(a, "dtype") and jnp.issubdtype(a.dtype, np.floating) and not a.aval.weak_type else a
    )


def is_inexact(array: Any) -> bool:
    """Tell whether gradients flow through values of this dtype."""
    return array.dtype.kind in "fcV"


def _vjp(fn: Callable[..., Any], wrt: tuple[int, ...], arrays: Sequence[Any]) -> tuple[Any, Any]:
    def of_diff(*diff: Any) -> Any:
        full = list(arrays)
        for i, d in zip(wrt, diff, strict=True):
            full[i] = d
        out = fn(*full)
        outs = out if isinstance(out, tuple) else (out,)
        return tuple([o for o in outs if is_inexact(o)]), out

    _, pullback, out = jax.vjp(of_diff, *[arrays[i] for i in wrt], has_aux=True)
    return out, pullback


@jax.jit
def _pull(pullback: Any, cts: tuple[Any, ...]) -> Any:
    return pullback(cts)


def data_of(value: Any) -> Any:
    """Return what an operand contributes to a compiled call: an array, or a Python number as it is."""
    if isinstance(value, Tensor):
        return value._data
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (int, float, complex, np.ndarray, jax.Array)):
        return value
    if isinstance(value, (list, tuple)):
        return _weak(value) if value and _is_numbers(value) else to_array(value)
    raise TypeError(f"operands must be Tensors or numbers, got {type(value).__name__}: {describe(value)}.")


def _is_numbers(value: Any) -> bool:
    return (
        all(_is_numbers(v) for v in value) if isinstance(value, (list, tuple)) else type(value) in (bool, int, float)
    )


def _weak(value: Any) -> Any:
    """Return nested Python numbers as an array that yields to Tensors in promotion, as each of the numbers does."""
    return jnp.stack([_weak(v) for v in value]) if isinstance(value, (list, tuple)) else jnp.asarray(value)


def run(kernel: Kernel, operands: Sequence[Any]) -> Any:
    """Run a kernel on Tensors and numbers in the way the current mode asks for; return Tensors."""
    try:
        data = [x._data if isinstance(x, Tensor) else data_of(x) for x in operands]
        if policy.dtype is not None:
            kernel = kernel.cast(policy.dtype)
        if current.get() is not None:
            out = kernel.definite(*data)
        elif tape.depth and any(isinstance(x, Tensor) and x._node is not None for x in operands):
            return _record(kernel, operands, data)
        else:
            out = kernel.run(*data)
    except _USER_ERRORS as error:
        raise _explain(kernel, operands, error) from None
    if isinstance(out, tuple):
        return tuple([wrap(o) for o in out])
    tensor = object.__new__(Tensor)
    tensor._data = out
    return tensor


def _explain(kernel: Kernel, operands: Sequence[Any], error: Exception) -> Exception:
    if isinstance(error, UNTRACEABLE) or getattr(error, "_explained", False):
        return error
    told = with_head(error, signature(kernel.name, operands, kernel.shown))
    told._explained = True  # type: ignore[attr-defined]
    return told


def _record(kernel: Kernel, operands: Sequence[Any], data: list[Any]) -> Any:
    wrt = tuple(
        [i for i, x in enumerate(operands) if isinstance(x, Tensor) and watched(x) and is_inexact(data[i])],
    )
    if not wrt:
        return _wrap_all(kernel.run(*data), None)
    parents = tuple([operands[i]._node for i in wrt])
    if tape.depth > 1:
        out = kernel.run(*data)
        node = Node(parents, None, ())
        node.backward = _adjoint_call(kernel, wrt, operands, node)
    else:
        out, pullback = kernel.vjp(wrt)(*data)
        node = Node(parents, None, ())
        node.backward = _pullback_call(pullback, node)
    return _wrap_all(out, node)


def _wrap_all(out: Any, node: Node | None) -> Any:
    outs = out if isinstance(out, tuple) else (out,)
    tensors = [wrap(o) for o in outs]
    if node is not None:
        node.avals = outs if len(outs) > 1 else (jax.typeof(outs[0]),)
        for i, t in enumerate(tensors):
            if is_inexact(t._data):
                t._node = (node, i)
    return tuple(tensors) if isinstance(out, tuple) else tensors[0]


def _cotangents(cts: list[Any], node: Node) -> tuple[Any, ...]:
    return tuple([zeros(a) if c is None else c for c, a in zip(cts, node.avals, strict=True) if is_inexact(a)])


def _pullback_call(pullback: Any, node: Node) -> Callable[[list[Any]], Sequence[Any]]:
    def backward(cts: list[Any]) -> Sequence[Any]:
        raw = [c._data if isinstance(c, Tensor) else c for c in cts]
        return _pull(pullback, _cotangents(raw, node))

    return backward


def _adjoint_call(
    kernel: Kernel, wrt: tuple[int, ...], operands: Sequence[Any], node: Node
) -> Callable[[list[Any]], Sequence[Any]]:
    adjoint = kernel.adjoint(wrt, len(operands))

    def backward(cts: list[Any]) -> Sequence[Any]:
        full = [c if isinstance(c, Tensor) else wrap(c) for c in _cotangents(cts, node)]
        out = run(adjoint, (*operands, *full))
        return out if isinstance(out, tuple) else (out,)

    return backward
