"""Operations of PyNative mode that are compiled quickly for their first runs, and with all optimizations later.

With few optimizations XLA compiles in a third of the time, and loops run longer. Operations that move, select or round once have
the same bits either way. So do convolutions and products of matrices: libraries compute them, and most of their compilation is for
loops that transpose and unfold images. The first runs of each signature of such an operation use the quick program, while an idle
processor compiles the other one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import jax

from sporax._src.base import config
from sporax._src.base.jax_compat import is_tracer, jaxprs_in, jit_with
from sporax._src.engine.compiled_ahead import compile_elsewhere, idle_processors, wait_or_cancel
from sporax._src.lowering.cpu.compiled import has_kernel
from sporax._src.lowering.cpu.kernels import ARE_BUILT
from sporax._src.lowering.lowering import are_on

FEW = 16  # runs of a signature, after which the optimized program is compiled
MANY = 32  # runs after which it is used
_SETTLED = 1024  # calls after which signatures are no longer counted
_MOST_ELEMENTS = 2**18  # of an array; in larger ones slow loops cost more than compilation

_CONTAINERS = frozenset("checkpoint closed_call custom_jvp_call jit pjit remat remat2 name".split())
_MOVES = frozenset(
    "broadcast_in_dim concatenate copy expand_dims gather pad reshape rev select_n slice squeeze stop_gradient transpose "
    "dynamic_slice dynamic_update_slice iota convert_element_type reduce_precision split stack unstack".split()
)
_CHOICES = frozenset(
    "max min eq ne lt le gt ge and or xor not neg abs sign is_finite reduce_max reduce_min reduce_and reduce_or "
    "reduce_window_max reduce_window_min".split()
)
_SUMS = frozenset(("add", "sub", "add_any"))
_PRODUCTS = frozenset(("mul", "div", "square", "integer_pow"))
# A product and a sum may be rounded once or twice, as the compiler chooses, so they are not together.
_EXACT = _CONTAINERS | _MOVES | _CHOICES
_EXACT_SETS = (_EXACT | _SUMS, _EXACT | _PRODUCTS)
_CONVOLUTION, _PRODUCT = "conv_general_dilated", "dot_general"
_KERNELS = frozenset(("batch_norm", "batch_norm_gradient"))
_OF_LIBRARIES = _CONTAINERS | _MOVES | _SUMS | {_CONVOLUTION, _PRODUCT}
_OF_CONVOLUTIONS = _OF_LIBRARIES | {"reduce_sum"}
_LEAST_OF_PRODUCT = 8  # rows, columns, terms of a sum: XLA computes smaller products by loops


class QuickAtFirst:
    """A function that is compiled quickly for the first runs of each signature, if that changes no bit of its results.

    Args:
        fn: The function; its arguments and results are pytrees of arrays.
        options: The compiler options of later runs.
        settle: Called with this object and the optimized function, when that is to be called directly.
    """

    def __init__(
        self, fn: Callable[..., Any], options: dict[str, Any] | None, settle: Callable[[QuickAtFirst, Any], None]
    ) -> None:
        self._full = jit_with(options, fn)
        self._quick = jit_with((options or {}) | config.quick_options(), fn)
        self._settle = settle
        self._calls = 0
        self._runs: dict[Any, int] = {}
        self._pending: dict[Any, Future[None]] = {}

    def __call__(self, *args: Any) -> Any:
        key, runs = self._runs_of(args)
        self._calls += 1
        if runs > MANY:
            if self._calls > _SETTLED or min(self._runs.values()) > MANY:
                self._settle(self, self._full)
            return self._full(*args)
        self._runs[key] = runs + 1
        if runs == FEW and idle_processors():
            self._pending[key] = compile_elsewhere(self._full, args)
        elif runs == MANY and key in self._pending:
            wait_or_cancel(self._pending.pop(key))
        return self._quick(*args)

    def lower(self, *args: Any) -> Any:
        """Return JAX's `Lowered` for the next run with such arguments."""
        _, runs = self._runs_of(args)
        return (self._full if runs > MANY else self._quick).lower(*args)

    def clear_cache(self) -> None:
        """Drop the executables."""
        self._full.clear_cache()
        self._quick.clear_cache()

    def _runs_of(self, args: tuple[Any, ...]) -> tuple[Any, int]:
        """Return the signature of arguments, and its runs so far; more than `MANY` if it is always optimized."""
        leaves, structure = jax.tree.flatten(args)
        key = (structure, *[(a.shape, a.dtype) if hasattr(a, "shape") else type(a) for a in leaves])
        runs = self._runs.get(key)
        if runs is None:
            is_quick = not any(map(is_tracer, leaves)) and _has_same_bits(self._full.trace(*args).jaxpr)
            runs = self._runs[key] = 0 if is_quick else MANY + 1
        return key, runs


def compiled(
    fn: Callable[..., Any], convolves: bool, settle: Callable[[QuickAtFirst, Any], None]
) -> Callable[..., Any]:
    """Return a compiled function of arrays, which may be one that is compiled quickly at first.

    Args:
        fn: The function.
        convolves: Whether it may contain convolutions.
        settle: As in `QuickAtFirst`.
    """
    options = config.compiler_options(convolves)
    return QuickAtFirst(fn, options, settle) if config.quick_options() else jit_with(options, fn)


def _has_same_bits(jaxpr: Any) -> bool:
    """Return whether a graph computes the same bits however it is compiled, and quick compilation pays off."""
    used, largest = set(), 0
    for eqn in _operations(jaxpr):
        name = eqn.primitive.name
        if name in _IN_LIBRARY and not _IN_LIBRARY[name](eqn):
            return False
        if name == "convert_element_type" and eqn.params["new_dtype"].kind in "iu" and _is_float(eqn.invars[0]):
            return False  # numbers that do not fit
        if name in _KERNELS:
            continue
        used.add(name)
        largest = max([largest, *[v.aval.size for v in eqn.outvars]])
    if _CONVOLUTION in used or _PRODUCT in used:
        return used <= (_OF_CONVOLUTIONS if _CONVOLUTION in used else _OF_LIBRARIES)
    return largest <= _MOST_ELEMENTS and any(used <= exact for exact in _EXACT_SETS)


def _is_library_convolution(convolution: Any) -> bool:
    """Return whether XLA's library or a kernel of sporax computes a convolution; loops round as they are compiled."""
    groups = convolution.params["feature_group_count"] * convolution.params["batch_group_count"]
    if groups > 1:
        return are_on() and has_kernel(*[v.aval for v in convolution.invars], **convolution.params)
    return convolution.outvars[0].aval.dtype.name in ("float16", "bfloat16", "float32")


def _is_library_product(product: Any) -> bool:
    """Return whether a library computes a product of matrices."""
    (summed, _), (batch, _) = product.params["dimension_numbers"]
    left, out = product.invars[0].aval, product.outvars[0].aval
    terms = math.prod(left.shape[axis] for axis in summed)
    rows = left.size // max(terms * math.prod(left.shape[axis] for axis in batch), 1)
    columns = out.size // max(rows * math.prod(left.shape[axis] for axis in batch), 1)
    return out.dtype.name == "float32" and min(terms, rows, columns) >= _LEAST_OF_PRODUCT


def _has_kernel(operation: Any) -> bool:
    """Return whether a kernel of sporax computes an operation of float32."""
    return ARE_BUILT and are_on() and all(v.aval.dtype.name == "float32" for v in operation.invars)


_IN_LIBRARY = {
    _CONVOLUTION: _is_library_convolution,
    _PRODUCT: _is_library_product,
    **dict.fromkeys(_KERNELS, _has_kernel),
}


def _is_float(variable: Any) -> bool:
    return variable.aval.dtype.kind in "fcV"


def _operations(jaxpr: Any) -> Iterator[Any]:
    for eqn in jaxpr.eqns:
        yield eqn
        for _, inner in jaxprs_in(eqn):
            yield from _operations(inner)
