"""Programs of NumPy operations that compute a traced function without compilation.

Moves, comparisons and integer operations equal XLA's, and float32 and float64 operations are rounded by IEEE 754; sums, matrix
products and functions such as `exp` differ from XLA's in the last bits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np

from sporax._src.base.jax_compat import is_literal, size_at, to_device
from sporax._src.base.typing import Array
from sporax._src.engine import numpy_conversions, numpy_windows
from sporax._src.engine.numpy_windows import NotInNumPy

_MOST_ELEMENTS = 2**20  # elements of a value: above, compilation pays off soon
_MOST_PRODUCTS = 2**28  # multiplications of a matrix product

Step = Callable[..., Any]


class Program:
    """The operations of a traced function, one after the other, as functions of NumPy arrays.

    Args:
        closed: The result of `jax.make_jaxpr`.
        sizes: The values of the variables in its shapes.

    Raises:
        NotInNumPy: If an operation is not implemented here.
    """

    def __init__(self, closed: Any, sizes: dict[str, int] | None = None) -> None:
        graph = closed.jaxpr
        self._sizes = sizes
        if graph.effects:
            raise NotInNumPy
        self._slots: dict[Any, int] = {}
        self._values: list[Any] = []
        self._steps: list[tuple[Step, list[int], list[int]]] = []
        for variable, value in zip(graph.constvars, closed.consts, strict=True):
            self._put(variable, np.asarray(value))
        self._inputs = [self._put(v, None) for v in graph.invars]
        self._add(graph)
        self._outputs = [self._slot(v) for v in graph.outvars]
        del self._slots

    def __call__(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the results for operands."""
        values = self._values.copy()
        for slot, array in zip(self._inputs, arrays, strict=True):
            values[slot] = array
        with np.errstate(all="ignore"):
            for step, inputs, outputs in self._steps:
                results = step(*[values[i] for i in inputs])
                for slot, result in zip(outputs, results, strict=True):
                    values[slot] = result
        return [np.asarray(values[i]) for i in self._outputs]

    def on_device(self, arrays: Sequence[Any]) -> list[Array]:
        """Return the results for arrays of JAX and numbers, as arrays of JAX: operands themselves, or in memory of their own."""
        inputs = [np.asarray(a) for a in arrays]
        known = {id(x): a for x, a in zip(inputs, arrays, strict=True) if isinstance(a, jax.Array)}
        results: list[Any] = []
        for result in self(inputs):
            operand = known.get(id(result))
            owned = result if result.flags.owndata else result.copy()
            results.append(to_device(owned) if operand is None else operand)
        return results

    def _put(self, variable: Any, value: object) -> int:
        self._slots[variable] = slot = len(self._values)
        self._values.append(value)
        return slot

    def _slot(self, atom: object) -> int:
        if is_literal(atom):
            aval: Any = atom.aval
            self._values.append(np.asarray(atom.val, aval.dtype))
            return len(self._values) - 1
        return self._slots[atom]

    def _add(self, graph: Any) -> None:
        for eqn in graph.eqns:
            inner = eqn.params.get("jaxpr") or eqn.params.get("call_jaxpr")
            if inner is not None and eqn.primitive.name in _CALLS:
                self._add_call(eqn, inner)
                continue
            step = step_of(eqn if self._sizes is None else _sized(eqn, self._sizes))
            self._steps.append((step, [self._slot(v) for v in eqn.invars], [self._put(v, None) for v in eqn.outvars]))

    def _add_call(self, eqn: Any, inner: Any) -> None:
        """Add the operations of a called function, with slots of its own for its variables."""
        consts = getattr(inner, "consts", ())
        graph = getattr(inner, "jaxpr", inner)
        outer, arguments = self._slots, [self._slot(v) for v in eqn.invars]
        self._slots = dict(zip(graph.invars, arguments, strict=True))
        for variable, value in zip(graph.constvars, consts, strict=True):
            self._put(variable, np.asarray(value))
        self._add(graph)
        results = [self._slot(v) for v in graph.outvars]
        self._slots = outer
        self._slots.update(zip(eqn.outvars, results, strict=True))


_CALLS = {"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "checkpoint", "remat2"}


def _fits(aval: Any) -> bool:
    """Return whether NumPy's results equal XLA's for such values: XLA keeps narrow types in wider ones between operations."""
    dtype = getattr(aval, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biuf" or (dtype.kind == "f" and dtype.itemsize < 4):
        return False
    return math.prod(aval.shape) <= _MOST_ELEMENTS


def _sized(eqn: Any, sizes: dict[str, int]) -> Any:
    """Return an operation with values for the variables in its shapes and parameters."""

    def sized(value: Any) -> Any:
        if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
            return tuple([sized(v) for v in value])
        return size_at(value, sizes)

    def of(variable: Any) -> Any:
        aval = variable.aval
        return SimpleNamespace(aval=SimpleNamespace(shape=sized(aval.shape), dtype=aval.dtype, ndim=len(aval.shape)))

    return SimpleNamespace(
        primitive=eqn.primitive,
        params={name: sized(value) for name, value in eqn.params.items()},
        invars=[of(v) for v in eqn.invars],
        outvars=[of(v) for v in eqn.outvars],
    )


def step_of(eqn: Any) -> Step:
    """Return the function that computes an operation's results from its operands.

    Raises:
        NotInNumPy: If there is none.
    """
    if not all(_fits(v.aval) for v in (*eqn.invars, *eqn.outvars)):
        raise NotInNumPy(eqn.primitive.name)
    name, out = eqn.primitive.name, eqn.outvars[0].aval
    if name in _ELEMENTWISE or (name in _OF_FLOATS and eqn.invars[0].aval.dtype.kind == "f"):
        fn = _ELEMENTWISE.get(name) or _OF_FLOATS[name]
        return lambda *xs: (np.asarray(fn(*xs), out.dtype),)
    if name in _OF_INTEGERS and out.dtype.kind in "iu" and out.dtype.itemsize <= 4:
        whole = _OF_INTEGERS[name]
        return lambda x, y: (whole(x.astype(np.int64), y.astype(np.int64)).astype(out.dtype),)
    if name not in _FACTORIES:
        raise NotInNumPy(name)
    return _FACTORIES[name](eqn)


# --- element by element ---------------------------------------------------------------------------------------------

_ELEMENTWISE: dict[str, Step] = {
    "abs": np.abs,
    "add": np.add,
    "add_any": np.add,
    "and": np.bitwise_and,
    "ceil": np.ceil,
    "copy": np.asarray,
    "copy_p": np.asarray,
    "eq": np.equal,
    "floor": np.floor,
    "ge": np.greater_equal,
    "gt": np.greater,
    "is_finite": np.isfinite,
    "le": np.less_equal,
    "lt": np.less,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "not": np.invert,
    "or": np.bitwise_or,
    "sign": np.sign,
    "square": np.square,
    "stop_gradient": np.asarray,
    "sub": np.subtract,
    "xor": np.bitwise_xor,
}


def _of_scipy(name: str) -> Step:
    """Return a function of SciPy, imported at its first call: the import changes the warnings of the process."""

    def function(x: np.ndarray) -> np.ndarray:
        from scipy import special

        return getattr(special, name)(x)

    return function


_OF_FLOATS: dict[str, Step] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "cos": np.cos,
    "cosh": np.cosh,
    "div": np.divide,
    "erf": _of_scipy("erf"),
    "erfc": _of_scipy("erfc"),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "logistic": _of_scipy("expit"),
    "one_minus_square": lambda x: (1 - x) * (1 + x),
    "polynomial": lambda x, *factors: functools.reduce(lambda sum, factor: sum * x + factor, reversed(factors)),
    "pow": np.power,
    "rem": np.fmod,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}


def _quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    divisor = np.where(y == 0, 1, y)
    return np.where(y == 0, -1, np.sign(x) * np.sign(divisor) * (np.abs(x) // np.abs(divisor)))


def _remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(y == 0, x, np.fmod(x, np.where(y == 0, 1, y)))


_OF_INTEGERS = {"div": _quotient, "rem": _remainder}

# --- operations with parameters ---------------------------------------------------------------------------------------


def _argument(fn: Step) -> Callable[[Any], Step]:
    """Return the factory of steps that compute the index of an extremum along one axis."""

    def make(eqn: Any) -> Step:
        (axis,), dtype = eqn.params["axes"], eqn.params["index_dtype"]
        return lambda x: (np.asarray(fn(x, axis), dtype),)

    return make


def _broadcast(eqn: Any) -> Step:
    shape, axes = eqn.params["shape"], eqn.params["broadcast_dimensions"]
    if len(eqn.invars) != 1:
        raise NotInNumPy
    inner = [1] * len(shape)
    for axis, size in zip(axes, eqn.invars[0].aval.shape, strict=True):
        inner[axis] = size
    return lambda x: (np.broadcast_to(np.reshape(x, inner), shape),)


def _clamp(_: object) -> Step:
    return lambda low, x, high: (np.minimum(np.maximum(x, low), high),)


def _concatenate(eqn: Any) -> Step:
    axis = eqn.params["dimension"]
    return lambda *xs: (np.concatenate(xs, axis),)


def _cumulative(fn: Step) -> Callable[[Any], Step]:
    """Return the factory of steps that accumulate along an axis, from its start or its end."""

    def make(eqn: Any) -> Step:
        axis, out = eqn.params["axis"], eqn.outvars[0].aval.dtype
        if not eqn.params["reverse"]:
            return lambda x: (fn(x, axis).astype(out, copy=False),)
        return lambda x: (np.flip(fn(np.flip(x, axis), axis), axis).astype(out, copy=False),)

    return make


def _dot(eqn: Any) -> Step:
    ((lc, rc), (lb, rb)), out = eqn.params["dimension_numbers"], eqn.outvars[0].aval
    left, right = (v.aval for v in eqn.invars)
    lf = [a for a in range(left.ndim) if a not in (*lc, *lb)]
    rf = [a for a in range(right.ndim) if a not in (*rc, *rb)]
    count = math.prod(left.shape[a] for a in lc)
    if math.prod(out.shape) * count > _MOST_PRODUCTS or out.dtype.kind != "f":
        raise NotInNumPy
    batch = math.prod(left.shape[a] for a in lb)

    def product(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray]:
        x = x.transpose(*lb, *lf, *lc).reshape(batch, -1 if x.size else math.prod(x.shape[a] for a in lf), count)
        y = y.transpose(*rb, *rc, *rf).reshape(batch, count, -1 if y.size else math.prod(y.shape[a] for a in rf))
        return (np.matmul(x.astype(out.dtype, copy=False), y.astype(out.dtype, copy=False)).reshape(out.shape),)

    return product


def _gather(eqn: Any) -> Step:
    numbers, sizes, out = eqn.params["dimension_numbers"], eqn.params["slice_sizes"], eqn.outvars[0].aval
    mode, fill = getattr(eqn.params["mode"], "name", ""), eqn.params["fill_value"]
    if fill is None:
        fill = np.nan if out.dtype.kind == "f" else True if out.dtype.kind == "b" else None
    if fill is None:
        bounds = np.iinfo(out.dtype)
        fill = bounds.min if out.dtype.kind == "i" else bounds.max
    if mode not in ("CLIP", "FILL_OR_DROP", "PROMISE_IN_BOUNDS"):
        raise NotInNumPy
    dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    remaining = [d for d in range(len(sizes)) if d not in dropped]

    def gathered(x: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray]:
        batch = starts.shape[:-1]
        index, inside = [], np.True_
        for d, size in enumerate(sizes):
            first: Any = np.zeros((), np.int64)
            if d in numbers.start_index_map:
                first = starts[..., numbers.start_index_map.index(d)].astype(np.int64)
                last = x.shape[d] - size
                inside = inside & (first >= 0) & (first <= last)
                first = np.clip(first, 0, max(last, 0))
            elif d in numbers.operand_batching_dims:
                axis = numbers.start_indices_batching_dims[numbers.operand_batching_dims.index(d)]
                first = np.arange(x.shape[d]).reshape([-1 if a == axis else 1 for a in range(len(batch))])
            first = np.reshape(first, np.shape(first) + (1,) * len(remaining))
            if d in remaining:
                first = first + np.arange(size).reshape([-1 if k == d else 1 for k in remaining])
            index.append(first)
        shape = batch + tuple(sizes[d] for d in remaining)
        result = np.broadcast_to(x[tuple(index)], shape)
        if mode == "FILL_OR_DROP" and not inside.all():
            inside = np.reshape(inside, np.shape(inside) + (1,) * len(remaining))
            result = np.where(inside, result, np.asarray(fill, out.dtype))
        return (np.moveaxis(result, range(len(batch), len(shape)), numbers.offset_dims),)

    return gathered


def _integer_power(eqn: Any) -> Step:
    y, out = eqn.params["y"], eqn.outvars[0].aval.dtype

    def power(x: np.ndarray) -> tuple[np.ndarray]:
        result, factor, left = np.ones_like(x), x, abs(y)
        while left:
            if left & 1:
                result = result * factor
            factor, left = factor * factor, left >> 1
        return (np.asarray(1 / result if y < 0 else result, out),)

    if y < 0 and out.kind != "f":
        raise NotInNumPy
    return power


def _iota(eqn: Any) -> Step:
    shape, axis, dtype = eqn.params["shape"], eqn.params["dimension"], eqn.params["dtype"]
    if eqn.invars:
        raise NotInNumPy
    numbers = np.arange(shape[axis]).astype(dtype).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return lambda: (np.broadcast_to(numbers, shape),)


def _pad(eqn: Any) -> Step:
    config, out = eqn.params["padding_config"], eqn.outvars[0].aval
    if any(low < 0 or high < 0 for low, high, _ in config):
        raise NotInNumPy

    def padded(x: np.ndarray, value: np.ndarray) -> tuple[np.ndarray]:
        result = np.full(out.shape, value, out.dtype)
        result[
            tuple(slice(low, n - high, inner + 1) for (low, high, inner), n in zip(config, out.shape, strict=True))
        ] = x
        return (result,)

    return padded


def _reduce(fn: Any) -> Callable[[Any], Step]:
    """Return the factory of steps that reduce over axes."""

    def make(eqn: Any) -> Step:
        axes, out = tuple(eqn.params["axes"]), eqn.outvars[0].aval.dtype
        if fn in (np.logical_and, np.logical_or) and out.kind != "b":
            raise NotInNumPy
        least: dict[str, Any] = {}
        if fn in (np.maximum, np.minimum):
            bounds = np.iinfo(out) if out.kind in "iu" else None
            low, high = (bounds.min, bounds.max) if bounds else (False, True) if out.kind == "b" else (-np.inf, np.inf)
            least["initial"] = low if fn is np.maximum else high
        return lambda x: (np.asarray(fn.reduce(x, axes, **least), out),)

    return make


def _reshape(eqn: Any) -> Step:
    shape = eqn.outvars[0].aval.shape
    if len(eqn.invars) != 1:
        raise NotInNumPy
    if eqn.primitive.name == "reshape" and (order := eqn.params["dimensions"]) is not None:
        return lambda x: (np.reshape(np.transpose(x, order), shape),)
    return lambda x: (np.reshape(x, shape),)


def _reverse(eqn: Any) -> Step:
    axes = eqn.params["dimensions"]
    return lambda x: (np.flip(x, axes),)


def _round(eqn: Any) -> Step:
    if int(eqn.params["rounding_method"]) == 1:  # rounds half to even
        return lambda x: (np.round(x),)
    return lambda x: (np.copysign(np.floor(np.abs(x)) + (np.abs(x) - np.floor(np.abs(x)) >= 0.5), x).astype(x.dtype),)


def _select(eqn: Any) -> Step:
    if len(eqn.invars) != 3 or eqn.invars[0].aval.dtype.kind != "b":
        raise NotInNumPy
    return lambda which, no, yes: (np.where(which, yes, no),)


def _slice(eqn: Any) -> Step:
    starts, limits = eqn.params["start_indices"], eqn.params["limit_indices"]
    strides = eqn.params["strides"] or (1,) * len(starts)
    index = tuple(slice(*part) for part in zip(starts, limits, strides, strict=True))
    return lambda x: (x[index],)


def _sort(eqn: Any) -> Step:
    axis = eqn.params["dimension"]
    if eqn.params["num_keys"] != 1:
        raise NotInNumPy

    def ordered(key: np.ndarray, *rest: np.ndarray) -> list[np.ndarray]:
        order = np.argsort(key, axis, kind="stable")
        return [np.take_along_axis(x, order, axis) for x in (key, *rest)]

    return ordered


def _split(eqn: Any) -> Step:
    axis, ends = eqn.params["axis"], np.cumsum(eqn.params["sizes"])[:-1]
    return lambda x: np.split(x, ends, axis)


def _stack(eqn: Any) -> Step:
    axis = eqn.params["axis"]
    return lambda *xs: (np.stack(xs, axis),)


def _tile(eqn: Any) -> Step:
    counts = eqn.params["reps"]
    return lambda x: (np.tile(x, counts),)


def _transpose(eqn: Any) -> Step:
    order = eqn.params["permutation"]
    return lambda x: (np.transpose(x, order),)


def _size(eqn: Any) -> Step:
    size = np.asarray(eqn.params["dim"], eqn.outvars[0].aval.dtype)
    return lambda: (size,)


_FACTORIES: dict[str, Callable[[Any], Step]] = (
    numpy_conversions.FACTORIES
    | numpy_windows.FACTORIES
    | {
        "argmax": _argument(np.argmax),
        "argmin": _argument(np.argmin),
        "broadcast_in_dim": _broadcast,
        "clamp": _clamp,
        "concatenate": _concatenate,
        "cummax": _cumulative(np.maximum.accumulate),
        "cummin": _cumulative(np.minimum.accumulate),
        "cumprod": _cumulative(np.cumprod),
        "cumsum": _cumulative(np.cumsum),
        "dim_as_value": _size,
        "dot_general": _dot,
        "expand_dims": _reshape,
        "gather": _gather,
        "integer_pow": _integer_power,
        "iota": _iota,
        "pad": _pad,
        "reduce_and": _reduce(np.logical_and),
        "reduce_max": _reduce(np.maximum),
        "reduce_min": _reduce(np.minimum),
        "reduce_or": _reduce(np.logical_or),
        "reduce_prod": _reduce(np.multiply),
        "reduce_sum": _reduce(np.add),
        "reshape": _reshape,
        "rev": _reverse,
        "round": _round,
        "select_n": _select,
        "slice": _slice,
        "sort": _sort,
        "split": _split,
        "squeeze": _reshape,
        "stack": _stack,
        "tile": _tile,
        "transpose": _transpose,
    }
)
