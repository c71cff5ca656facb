"""How an operation runs: compiled and cached in PyNative mode, recorded under a gradient, inlined in a trace."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base import config
from sporax._src.base.errors import describe, signature, with_head
from sporax._src.base.jax_compat import (
    MOST_ELEMENTS,
    UNTRACEABLE,
    is_tracer,
    is_variable_size,
    remove_weak_type,
    size_as_array,
)
from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core.execution import EAGER, Execution, current
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import Scope
from sporax._src.core.tape import Node, zeros
from sporax._src.core.tensor import Tensor, to_array, wrap
from sporax._src.core.traced_number import TracedNumber
from sporax._src.core.views import link
from sporax._src.engine import lenses, saved_tensors
from sporax._src.engine.amp import ByOperator
from sporax._src.engine.index_checks import Bounds, check
from sporax._src.engine.kernel_cache import compile_bounded
from sporax._src.engine.known_scalars import remember
from sporax._src.engine.numpy_fallback import ForNumpy
from sporax._src.engine.pullback import Backward, Pullback, backward_of_any_size
from sporax._src.engine.quick_kernels import QuickAtFirst
from sporax._src.engine.traits import PLAIN, Traits
from sporax._src.engine.vjp import is_inexact, run_shadowed, shadowed, vjp
from sporax._src.processes.multiprocess import OnRanks

_USER_ERRORS = (TypeError, ValueError, IndexError, OverflowError, NotImplementedError, ZeroDivisionError)
_LEAST_INT = -(2**63)
_MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**62
# Texts of lax's TypeErrors about mismatched shapes, which are ValueErrors in NumPy and MindSpore.
_UNFIT = ("incompatible shapes for broadcasting", "contracting dimensions to have the same shape")


class Debugging:
    """The debugging of operations that `set_context` enables for the process.

    Attributes:
        check: Wraps the kernels of PyNative mode while a program is being debugged; None otherwise.
    """

    check: Callable[[Kernel], Kernel] | None = None


debugging = Debugging()


class Kernel:
    """A pure function of arrays and the compiled forms of it that PyNative mode calls."""

    __slots__ = (
        "_adjoints",
        "_casts",
        "_operations",
        "_puts",
        "_vjps",
        "bounds",
        "fn",
        "name",
        "run",
        "shown",
        "traits",
    )

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str,
        shown: dict[str, Any] | None = None,
        bounds: Bounds | None = None,
        traits: Traits = PLAIN,
    ) -> None:
        self.fn = fn
        self.name = name
        self.shown = shown or {}
        self.bounds = bounds
        self.traits = traits
        self.run = self._first_run
        self._vjps: dict[tuple[int, ...], Any] = {}
        self._adjoints: dict[tuple[tuple[int, ...], int], Kernel] = {}
        self._casts: dict[np.dtype | str, Kernel] = {}
        self._puts: dict[int, Kernel] = {}
        self._operations: dict[Any, Sequence[lenses.Move] | None] = {}

    def _first_run(self, *arrays: Array) -> Any:
        put = functools.partial(setattr, self, "run")
        return self._compiled(self.strongly_typed, put, self._settle, self.name)(*arrays)

    def _settle(self, quick: QuickAtFirst, run: Any) -> None:
        if self.run is quick:
            self.run = run

    def _compiled(
        self,
        fn: Callable[..., Any],
        put: Callable[[Any], None],
        settle: Callable[[QuickAtFirst, Any], None],
        name: str,
        for_numpy: ForNumpy | None = None,
    ) -> Callable[..., Any]:
        if not self.traits.exchanges:
            return compile_bounded(fn, name, self.traits.convolves, put, settle, for_numpy)
        run = OnRanks(config.compiler_options(self.traits.convolves), fn)
        put(run)
        return run

    def shadowed(self, fn: Callable[..., Any], data: Sequence[Any], shadows: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Run the function on integer operands with shadows (see `vjp.shadowed`)."""
        return shadowed(fn, data, shadows, self.traits.casts)

    def strongly_typed(self, *arrays: Array) -> Any:
        """Run the function and give every result a definite dtype."""
        with jax.named_scope(self.name):
            out = self.fn(*arrays)
        if isinstance(out, (tuple, list)):
            return tuple([remove_weak_type(_checked_size(o)) for o in out])
        return remove_weak_type(_checked_size(out))

    @property
    def forward(self) -> Callable[..., Any]:
        """The function, with the rule which of its intermediate values a backward saves."""
        policy = saved_tensors.is_saved_by_loop if self.traits.iterates else saved_tensors.is_saved
        return jax.checkpoint(self.strongly_typed, prevent_cse=False, policy=policy)

    def vjp(self, wrt: tuple[int, ...]) -> Any:
        """Return the compiled `arrays -> (results, pullback)` that differentiates the operands `wrt`.

        The pullback is without the arrays that `record` adds.
        """
        if wrt not in self._vjps:
            backwards: list[Backward] = []

            def fn(*arrays: Array) -> tuple[Any, Pullback]:
                return traced(arrays, lends=not self.traits.exchanges)

            def traced(arrays: Sequence[Any], lends: bool) -> tuple[Any, Pullback]:
                out, pullback, depends = vjp(self.forward, wrt, arrays, self.shadowed)
                lenders = (*arrays, *(out if isinstance(out, tuple) else (out,))) if lends else ()
                compiled = Pullback.of(pullback, depends, self.traits, lenders)
                backwards.append(compiled.backward)
                return out, compiled

            def put(run: Callable[..., Any]) -> None:
                self._vjps[wrt] = run
                while backwards:  # JAX's cache would keep the residuals alive
                    backwards.pop().clear()

            def settle(quick: QuickAtFirst, run: Any) -> None:
                if self._vjps[wrt] is quick:
                    self._vjps[wrt] = run

            def for_numpy(*arrays: Array) -> tuple[Any, Pullback]:
                out, pullback = traced(arrays, lends=False)
                backwards[-1].use_numpy()
                return out, pullback

            name = f"{self.name} with its gradient"
            self._compiled(fn, put, settle, name, ForNumpy(for_numpy, backward_of_any_size))
        return self._vjps[wrt]

    def record(self, wrt: tuple[int, ...], data: Sequence[Any]) -> tuple[Any, Any]:
        """Run the function; return its results, and the pullback that differentiates the operands `wrt`."""
        run = self._vjps.get(wrt) or self.vjp(wrt)
        out, pullback = run(*data)
        if lent := pullback.backward.lent:
            values = (*data, *out) if isinstance(out, tuple) else (*data, out)
            residuals = pullback.residuals = list(pullback.residuals)
            for i in lent:
                value = values[i]
                # the program may write into a NumPy array before the backward runs
                residuals.append(jnp.array(value) if isinstance(value, np.ndarray) else value)
        return out, pullback

    def adjoint(self, wrt: tuple[int, ...], count: int) -> Kernel:
        """Return the backward as a kernel of its own: `(*operands, *cotangents) -> gradients of the operands wrt`."""
        if (wrt, count) not in self._adjoints:

            def fn(*xs: Array) -> Any:
                return vjp(self.strongly_typed, wrt, xs[:count], self.shadowed)[1](xs[count:])

            self._adjoints[wrt, count] = Kernel(
                fn, f"gradient of {self.name}", traits=self.traits._replace(amp=None, casts=False)
            )
        return self._adjoints[wrt, count]

    def pull(self, pullback: Pullback, cts: Sequence[Any]) -> Any:
        """Run a pullback that `record` returned, on one cotangent (or None) for each result."""
        return pullback.backward.run(pullback.residuals, cts)

    def cast(self, dtype: np.dtype | str) -> Kernel:
        """Return the kernel that casts float operands to `dtype` ("widest": to the widest among them) first."""
        if dtype not in self._casts:

            def fn(*arrays: Array) -> Any:
                to = _widest(arrays) if isinstance(dtype, str) else dtype
                return self.fn(*[_cast(a, to) for a in arrays])

            self._casts[dtype] = Kernel(fn, self.name, self.shown, self.bounds, self.traits)
        return self._casts[dtype]

    # --- of operators that make views (see `core.views.Mover`) ---------------------------------------------------------

    def read(self, operands: Sequence[Any], index: int) -> Tensor:
        """Return result number `index`."""
        out = run(self, operands)
        return out[index] if isinstance(out, tuple) else out

    def put_back(self, operands: Sequence[Any], index: int, value: Tensor) -> Tensor:
        """Return the first operand, with a new value for the elements in result number `index`."""
        if index not in self._puts:
            known = self.traits.views
            put: Callable[..., Any] = (
                functools.partial(known.put, **self.shown)
                if isinstance(known, lenses.Lens)
                else functools.partial(lenses.put, self.fn, index)
            )
            self._puts[index] = Kernel(put, f"writing through {self.name}")
        return run(self._puts[index], (value, *operands))

    def put_at(self, target: Tensor, indices: Tensor, value: Tensor) -> Tensor:
        """Return a Tensor with a value at flat (row-major) indices."""
        return run(_put_at, (target, indices, value))

    def strided(self, operands: Sequence[Any], index: int, memory: np.ndarray) -> np.ndarray | None:
        """Return the strided view of memory that result number `index` is; None if it needs a copy."""
        known = self.traits.views
        if isinstance(known, lenses.Lens):
            return known.strided(memory, **self.shown)
        data = [data_of(x) for x in operands]
        key = (index, *[(getattr(d, "shape", None), getattr(d, "dtype", type(d))) for d in data])
        if key not in self._operations:
            self._operations[key] = lenses.operations(self.fn, index, data)
        return lenses.strided(self._operations[key], memory)


_put_at = Kernel(lenses.put_at, "writing through a view")


def _checked_size(out: Array) -> Array:
    """Return a result if it fits in memory: XLA aborts the process for some that do not. Intermediate results of a graph may be
    fused away.

    Raises:
        RuntimeError: If it has more elements than can be counted or, in PyNative mode, more bytes than the machine has.
    """
    if is_variable_size(out.size):
        return out
    if out.size >= MOST_ELEMENTS or (current.get().scope is None and out.size * out.dtype.itemsize > _MEMORY):
        raise RuntimeError(
            f"out of memory: a result of shape {list(out.shape)} has {out.size} elements of {out.dtype}."
        )
    return out


def _cast(a: Array, dtype: np.dtype) -> Any:
    return (
        a.astype(dtype) if hasattr(a, "dtype") and jnp.issubdtype(a.dtype, np.floating) and not a.aval.weak_type else a
    )


def _widest(arrays: Sequence[Any]) -> Any:
    """Return the dtype that holds every float operand."""
    floats = [a.dtype for a in arrays if hasattr(a, "dtype") and jnp.issubdtype(a.dtype, np.floating)]
    with jax.numpy_dtype_promotion("standard"):
        return functools.reduce(jnp.promote_types, floats) if floats else None


def data_of(value: object) -> Any:
    """Return the argument of a compiled call for an operand: an array, or a Python number as it is."""
    if isinstance(value, Tensor):
        return value._data
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) is int and not _LEAST_INT <= value < -_LEAST_INT:
        raise OverflowError(
            f"{describe(value)} does not fit into an int64; give a float, or a Tensor whose dtype holds it."
        )
    if isinstance(value, (int, float, complex, np.ndarray, jax.Array)):
        return value
    if isinstance(value, (list, tuple)):
        if _has_tensors(value):
            raise _HasTensors
        return _weak(value) if value and _is_numbers(value) else to_array(value)
    if is_variable_size(value):
        return size_as_array(value)
    raise TypeError(f"operands must be Tensors or numbers, got {type(value).__name__}: {describe(value)}.")


class _HasTensors(Exception):
    """An operand is a list of Tensors: it is stacked by an operation, through which gradients flow."""


def _has_tensors(value: object) -> bool:
    return any(_has_tensors(v) for v in value) if isinstance(value, (list, tuple)) else isinstance(value, Tensor)


def _stack(*parts: Any) -> Any:
    with jax.numpy_dtype_promotion("standard"):
        return jnp.stack(parts)


_stacked = Kernel(_stack, "stack")


def _as_tensor(value: object) -> Any:
    """Return an operand; a nested list of Tensors and numbers becomes one Tensor."""
    if not (isinstance(value, (list, tuple)) and _has_tensors(value)):
        return value
    return run(_stacked, [_as_tensor(v) for v in value])


def _is_numbers(value: object) -> bool:
    return all(_is_numbers(v) for v in value) if isinstance(value, (list, tuple)) else type(value) in (bool, int, float)


def _weak(value: object) -> Any:
    """Return nested Python numbers as a weakly typed array, which is promoted with Tensors like a single number."""
    return jnp.stack([_weak(v) for v in value]) if isinstance(value, (list, tuple)) else jnp.asarray(data_of(value))


def run(kernel: Kernel, operands: Sequence[Any]) -> Any:
    """Run a kernel on Tensors and numbers as the current mode requires; return Tensors."""
    now = current.get()
    try:
        data = []
        for x in operands:  # a loop is faster than a comprehension, which is a call
            data.append(x._data if isinstance(x, Tensor) else data_of(x))
        if now is not EAGER or debugging.check is not None:
            return _run_as(now, kernel, operands, data)
        out = kernel.run(*data)
        if kernel.bounds is not None:
            check(kernel.name, kernel.bounds, data)
    except _HasTensors:
        for number in operands:
            if isinstance(number, TracedNumber):
                int(number)  # raises: Python's operators of a list and a number need its value, as [x] * 2 is a list
        return run(kernel, [_as_tensor(x) for x in operands])
    except _USER_ERRORS as error:
        raise _explain(kernel, operands, error) from None
    if out.__class__ is tuple:
        return _wrapped(out)
    tensor = object.__new__(Tensor)
    tensor._data = out
    return tensor


def _run_as(now: Execution, kernel: Kernel, operands: Sequence[Any], data: list[Any]) -> Any:
    """Run a kernel while operators are traced, recorded, checked or cast."""
    scope = now.scope
    if now.intercepts is not None and scope is None:
        return now.intercepts(kernel, operands)
    if scope is not None and isinstance(now.compute_dtype, np.dtype):
        data = [
            _cast(d, now.compute_dtype) if _is_external(x, scope) else d for x, d in zip(operands, data, strict=True)
        ]
    elif now.compute_dtype is not None or debugging.check is not None:
        kernel = _adapted(kernel, now)
    if scope is not None:
        fn, shadows = kernel.strongly_typed, scope.shadows
        if now.saved_hooks is not None:
            fn = functools.partial(saved_tensors.run_packed, kernel.forward, now.saved_hooks)
        out = fn(*data) if shadows is None else run_shadowed(fn, data, shadows, kernel.shadowed)
    elif now.recording and not now.refuses_gradients and (edges := _edges(operands)):
        recorded = _record(now, kernel, operands, data, edges)
        if kernel.bounds is not None:
            check(kernel.name, kernel.bounds, data)
        return recorded
    else:
        out = kernel.run(*data)
    if kernel.bounds is not None:
        check(kernel.name, kernel.bounds, data)
    if isinstance(out, tuple):
        return _wrapped(out)
    tensor = wrap(out)
    if scope is not None:
        if not is_tracer(out):
            scope.tensors.note_created(tensor)
        else:
            remember(tensor, kernel.strongly_typed, operands, data)
    return tensor


def _wrapped(arrays: tuple[Array, ...]) -> tuple[Tensor, ...]:
    tensors = []
    for array in arrays:  # `wrap`, inlined for speed
        tensor = object.__new__(Tensor)
        tensor._data = array
        tensors.append(tensor)
    return tuple(tensors)


def run_view(kernel: Kernel, operands: Sequence[Any]) -> Any:
    """Run a kernel whose results are views of its first operand."""
    return link(run(kernel, operands), kernel, operands)


def _is_external(operand: object, scope: Scope) -> bool:
    """Return whether an operand comes from outside the trace: it is a Parameter, or a Tensor that existed before.

    Under `to_float` MindSpore's graphs cast these and the inputs of Cells. Values computed in `construct` keep their dtype: a
    softmax of `x.astype(float32)` is computed in float32.
    """
    if isinstance(operand, Parameter):
        return True
    return isinstance(operand, Tensor) and not is_tracer(operand._data) and not scope.has_created(operand)


def _adapted(kernel: Kernel, now: Execution) -> Kernel:
    """Return the kernel that computes in the requested dtype, with the check of the debugger around it."""
    dtype = now.compute_dtype
    if isinstance(dtype, ByOperator):
        dtype = dtype.of(kernel.traits.amp)
    if dtype is not None:
        kernel = kernel.cast(dtype)
    return kernel if debugging.check is None or now.scope is not None else debugging.check(kernel)


def _explain(kernel: Kernel, operands: Sequence[Any], error: Exception) -> Exception:
    if isinstance(error, UNTRACEABLE) or getattr(error, "_explained", False):
        return error
    if any(isinstance(x, Tensor) and x.dtype is mstype.string for x in operands):
        error = TypeError("a Tensor of text has no operators; asnumpy() gives its NumPy array.")
    if isinstance(error, TypeError) and any(text in str(error) for text in _UNFIT):
        error = ValueError(str(error))
    explained = with_head(error, signature(kernel.name, operands, kernel.shown))
    explained._explained = True  # type: ignore[attr-defined]
    return explained


def _edges(operands: Sequence[Any]) -> dict[int, tuple[Node, int]]:
    """Return the node and output index of each operand on which a gradient in progress depends, by position."""
    edges = {}
    for i, x in enumerate(operands):
        if isinstance(x, Tensor):
            edge = x._node
            if edge is not None and edge[0].session.open:
                edges[i] = edge
    return edges


def _record(
    now: Execution, kernel: Kernel, operands: Sequence[Any], data: list[Any], edges: dict[int, tuple[Node, int]]
) -> Any:
    wrt, parents = tuple(edges), tuple(edges.values())
    hooks = now.saved_hooks
    if now.recording > 1:
        out = kernel.run(*data)
        node = Node(parents, None, (), now.session)
        node.backward = _adjoint_call(kernel, wrt, saved_tensors.kept(operands, hooks), node)
    else:
        out, pullback = kernel.record(wrt, data)
        node = Node(parents, _pullback_call(kernel, pullback, hooks), (), now.session)
        if isinstance(pullback, Pullback) and pullback.backward.ahead is not None:  # a debugger has its own pullbacks
            pullback.backward.compile_ahead(pullback.residuals, out if isinstance(out, tuple) else (out,))
    if not isinstance(out, tuple):
        node.avals = (out.aval,)
        return _result_of(node, 0, out, data, wrt)
    node.avals = [o.aval for o in out]
    return tuple([_result_of(node, i, o, data, wrt) for i, o in enumerate(out)])


def _result_of(node: Node, index: int, out: Array, data: list[Any], wrt: tuple[int, ...]) -> Tensor:
    """Return a result as a Tensor; gradients flow to floats, and from integers to integers."""
    tensor = object.__new__(Tensor)  # `wrap`, inlined for speed
    tensor._data = out
    kind = out.dtype.kind
    if kind in "fcV" or (kind in "iu" and not all(is_inexact(data[i]) for i in wrt)):
        tensor._node = (node, index)
    return tensor


def _pullback_call(
    kernel: Kernel, pullback: Pullback, hooks: saved_tensors.Hooks | None
) -> Callable[[list[Any]], Sequence[Any]]:
    if hooks is not None and isinstance(pullback, Pullback):
        unpack, of = saved_tensors.pack(hooks, pullback.residuals), pullback.backward
        return lambda cts: kernel.pull(Pullback(of, unpack()), _arrays(cts))
    return lambda cts: kernel.pull(pullback, _arrays(cts))


def _arrays(cts: list[Any]) -> list[Any]:
    return [c._data if isinstance(c, Tensor) else c for c in cts]


def _adjoint_call(
    kernel: Kernel, wrt: tuple[int, ...], kept: Callable[[], Sequence[Any]], node: Node
) -> Callable[[list[Any]], Sequence[Any]]:
    def backward(cts: list[Any]) -> Sequence[Any]:
        cotangents = [zeros(a) if c is None else c for c, a in zip(cts, node.avals, strict=True)]
        operands = kept()
        adjoint = kernel.adjoint(wrt, len(operands))
        out = run(adjoint, (*operands, *[c if isinstance(c, Tensor) else wrap(c) for c in cotangents]))
        return out if isinstance(out, tuple) else (out,)

    return backward
