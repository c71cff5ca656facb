"""Programs of NumPy operations that compute a traced function without compilation.

Moves, comparisons and integer operations equal XLA's, and float32 and float64 operations are rounded by IEEE 754; sums, matrix
products and functions such as `exp` differ from XLA's in the last bits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from sporax._src.base.jax_compat import is_literal, to_device
from sporax._src.base.typing import Array
from sporax._src.engine import numpy_conversions, numpy_loops, numpy_random, numpy_selection, numpy_windows
from sporax._src.engine.numpy_equations import (
    OF_A_CALL,
    Equation,
    Factory,
    NotInNumPy,
    Step,
    fits,
    has_variables,
    needed,
    sized,
    work_of,
)

_MOST_PRODUCTS = 2**28  # multiplications of a matrix product
_MOST_WORK = 2**32  # of all runs before compilation pays off: some seconds


class Program:
    """The operations of a traced function, one after the other, as functions of NumPy arrays.

    Args:
        closed: The result of `jax.make_jaxpr`.
        sizes: The values of the variables in its shapes.
        fixed: What programs of one trace share, by the `id` of an operation or graph: the steps of operations without
            variables, the operations that are needed, and the graphs of operations that functions define.

    Attributes:
        work: How long a run takes, in elements of simple operations, of which NumPy computes about 10**9 in a second.

    Raises:
        NotInNumPy: If an operation is not implemented here.
    """

    def __init__(self, closed: Any, sizes: dict[str, int] | None = None, fixed: dict[int, Any] | None = None) -> None:
        graph = closed.jaxpr
        self.work = 0
        self._sizes, self._fixed = sizes, {} if fixed is None else fixed
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
        del self._slots, self._fixed  # the graph is not needed any more

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

    def most_runs(self, usual: int) -> int:
        """Return after how many runs compilation pays off: fewer than usual if a run is slow."""
        return min(usual, max(_MOST_WORK // max(self.work, 1), 2))

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
        if id(graph) not in self._fixed:
            self._fixed[id(graph)] = needed(graph)
        for eqn in self._fixed[id(graph)]:
            inner = eqn.params.get("jaxpr") or eqn.params.get("call_jaxpr")
            if inner is not None and eqn.primitive.name in _CALLS:
                self._add_call(eqn, inner)
                continue
            if (fn := getattr(eqn.primitive, "defined_by", None)) is not None:
                self._add_call(eqn, self._made(eqn, fn))
                continue
            slots = [self._slot(v) for v in eqn.invars], [self._put(v, None) for v in eqn.outvars]
            self._steps.append((self._step(eqn), *slots))

    def _step(self, eqn: Equation) -> Step:
        sizes = self._sizes
        if eqn.primitive.name in numpy_loops.FACTORIES:
            return self._loop(eqn if sizes is None else sized(eqn, sizes))
        if sizes is None:
            step, work = step_of(eqn), work_of(eqn)
        else:
            if id(eqn) not in self._fixed:
                self._fixed[id(eqn)] = None if has_variables(eqn) else (step_of(eqn), work_of(eqn))
            step, work = self._fixed[id(eqn)] or (step_of(now := sized(eqn, sizes)), work_of(now))
        self.work += work
        return step

    def _loop(self, eqn: Equation) -> Step:
        name = eqn.primitive.name
        if not all(fits(v.aval) for v in (*eqn.invars, *eqn.outvars)):
            raise NotInNumPy(name)

        def body(graph: Any) -> Program:
            program = Program(graph, self._sizes, self._fixed)
            self.work += (program.work + OF_A_CALL) * eqn.params.get("length", 1)
            return program

        return numpy_loops.FACTORIES[name](eqn, body)

    def _made(self, eqn: Equation, fn: Callable[..., Any]) -> Any:
        """Return the graph of an operation that a function defines."""
        if id(eqn) not in self._fixed:
            self._fixed[id(eqn)] = jax.make_jaxpr(functools.partial(fn, **eqn.params))(*[v.aval for v in eqn.invars])
        return self._fixed[id(eqn)]

    def _add_call(self, eqn: Equation, inner: Any) -> None:
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


def step_of(eqn: Equation) -> Step:
    """Return the function that computes an operation's results from its operands.

    Raises:
        NotInNumPy: If there is none.
    """
    name, out = eqn.primitive.name, eqn.outvars[0].aval
    if name in numpy_random.FACTORIES:
        return numpy_random.FACTORIES[name](eqn)
    if not all(fits(v.aval) for v in (*eqn.invars, *eqn.outvars)):
        raise NotInNumPy(name)
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
    "erf_inv": _of_scipy("erfinv"),
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


def _broadcast(eqn: Equation) -> Step:
    shape, axes = eqn.params["shape"], eqn.params["broadcast_dimensions"]
    if len(eqn.invars) != 1:
        raise NotInNumPy
    inner = [1] * len(shape)
    for axis, size in zip(axes, eqn.invars[0].aval.shape, strict=True):
        inner[axis] = size
    return lambda x: (np.broadcast_to(np.reshape(x, inner), shape),)


def _clamp(_: object) -> Step:
    return lambda low, x, high: (np.minimum(np.maximum(x, low), high),)


def _concatenate(eqn: Equation) -> Step:
    axis = eqn.params["dimension"]
    return lambda *xs: (np.concatenate(xs, axis),)


def _cumulative(fn: Step) -> Factory:
    """Return the factory of steps that accumulate along an axis, from its start or its end."""

    def make(eqn: Equation) -> Step:
        axis, out = eqn.params["axis"], eqn.outvars[0].aval.dtype
        if not eqn.params["reverse"]:
            return lambda x: (fn(x, axis).astype(out, copy=False),)
        return lambda x: (np.flip(fn(np.flip(x, axis), axis), axis).astype(out, copy=False),)

    return make


def _dot(eqn: Equation) -> Step:
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
        return (
            numpy_windows.product(x.astype(out.dtype, copy=False), y.astype(out.dtype, copy=False)).reshape(out.shape),
        )

    return product


def _integer_power(eqn: Equation) -> Step:
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


def _iota(eqn: Equation) -> Step:
    shape, axis, dtype = eqn.params["shape"], eqn.params["dimension"], eqn.params["dtype"]
    if eqn.invars:
        raise NotInNumPy
    numbers = np.arange(shape[axis]).astype(dtype).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return lambda: (np.broadcast_to(numbers, shape),)


def _pad(eqn: Equation) -> Step:
    config, out = eqn.params["padding_config"], eqn.outvars[0].aval
    cut = any(low < 0 or high < 0 for low, high, _ in config)
    if cut and any(inner for *_, inner in config):
        raise NotInNumPy
    kept = tuple(slice(max(-low, 0), min(high, 0) or None) for low, high, _ in config)
    places = tuple(
        slice(max(low, 0), n - max(high, 0), inner + 1) for (low, high, inner), n in zip(config, out.shape, strict=True)
    )

    def padded(x: np.ndarray, value: np.ndarray) -> tuple[np.ndarray]:
        result = np.full(out.shape, value, out.dtype)
        result[places] = x[kept] if cut else x
        return (result,)

    return padded


def _reduce(fn: Any) -> Factory:
    """Return the factory of steps that reduce over axes."""

    def make(eqn: Equation) -> Step:
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


def _reshape(eqn: Equation) -> Step:
    shape = eqn.outvars[0].aval.shape
    if len(eqn.invars) != 1:
        raise NotInNumPy
    if eqn.primitive.name == "reshape" and (order := eqn.params["dimensions"]) is not None:
        return lambda x: (np.reshape(np.transpose(x, order), shape),)
    return lambda x: (np.reshape(x, shape),)


def _reverse(eqn: Equation) -> Step:
    axes = eqn.params["dimensions"]
    return lambda x: (np.flip(x, axes),)


def _round(eqn: Equation) -> Step:
    if int(eqn.params["rounding_method"]) == 1:  # rounds half to even
        return lambda x: (np.round(x),)
    return lambda x: (np.copysign(np.floor(np.abs(x)) + (np.abs(x) - np.floor(np.abs(x)) >= 0.5), x).astype(x.dtype),)


def _slice(eqn: Equation) -> Step:
    starts, limits = eqn.params["start_indices"], eqn.params["limit_indices"]
    strides = eqn.params["strides"] or (1,) * len(starts)
    index = tuple(slice(*part) for part in zip(starts, limits, strides, strict=True))
    return lambda x: (x[index],)


def _split(eqn: Equation) -> Step:
    axis, ends = eqn.params["axis"], np.cumsum(eqn.params["sizes"])[:-1]
    return lambda x: np.split(x, ends, axis)


def _stack(eqn: Equation) -> Step:
    axis = eqn.params["axis"]
    return lambda *xs: (np.stack(xs, axis),)


def _unstack(eqn: Equation) -> Step:
    axis = eqn.params["axis"]
    return lambda x: np.moveaxis(x, axis, 0)


def _tile(eqn: Equation) -> Step:
    counts = eqn.params["reps"]
    return lambda x: (np.tile(x, counts),)


def _transpose(eqn: Equation) -> Step:
    order = eqn.params["permutation"]
    return lambda x: (np.transpose(x, order),)


def _shift(shift: Step, is_signed: bool = False) -> Factory:
    """Return the factory of steps that shift the bits of integers; a shift by all bits or more leaves none."""

    def make(eqn: Equation) -> Step:
        out = eqn.outvars[0].aval.dtype
        bits = 8 * out.itemsize
        whole = np.dtype(f"{'iu'[not is_signed]}{out.itemsize}")

        def shifted(x: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray]:
            x, fits = x.astype(whole), (distance >= 0) & (distance < bits)
            rest = shift(x, np.asarray(bits - 1, whole)) if is_signed else np.zeros_like(x)
            return (np.where(fits, shift(x, np.where(fits, distance, 0).astype(whole)), rest).astype(out),)

        return shifted

    return make


def _size(eqn: Equation) -> Step:
    size = np.asarray(eqn.params["dim"], eqn.outvars[0].aval.dtype)
    return lambda: (size,)


_FACTORIES: dict[str, Factory] = (
    numpy_conversions.FACTORIES
    | numpy_selection.FACTORIES
    | numpy_windows.FACTORIES
    | {
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
        "integer_pow": _integer_power,
        "iota": _iota,
        "optimization_barrier": lambda eqn: lambda *xs: xs,
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
        "shift_left": _shift(np.left_shift),
        "shift_right_arithmetic": _shift(np.right_shift, is_signed=True),
        "shift_right_logical": _shift(np.right_shift),
        "slice": _slice,
        "split": _split,
        "squeeze": _reshape,
        "stack": _stack,
        "tile": _tile,
        "transpose": _transpose,
        "unstack": _unstack,
    }
)
