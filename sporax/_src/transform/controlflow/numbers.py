"""Numbers that a graph computes. The program uses them as Python numbers, in the graph and as its results."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import is_tracer, weakly_typed
from sporax._src.base.typing import Array
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor
from sporax._src.core.traced_number import TracedNumber, is_number
from sporax._src.transform.controlflow.failures import NeedsValue, fail_unless


class ComputedNumber(TracedNumber):
    """An int, float or bool that a graph computes; its classes are in `OF_KIND`.

    Arithmetic and comparisons with numbers give numbers, with Tensors they give Tensors. Ints have 64 bits. Code that needs
    the value itself (`"ab" * n`) cannot be part of the graph. A graph returns such a number as a Python number.

    Args:
        value: The traced value.
    """

    dtype_of_kind: np.dtype

    def __init__(self, value: Array) -> None:
        self._data = weakly_typed(value.reshape(()).astype(self.dtype_of_kind))

    @classmethod
    def of_leaf(cls, value: Tensor) -> Any:
        """Return a Tensor from a trace or a run as a number."""
        if isinstance(value, TracedNumber) or value._data.shape:  # a batch of numbers is a Tensor
            return value
        return cls(value._data) if tracing() or is_tracer(value._data) else cls._kind(value._data.item())

    def __getattr__(self, name: str) -> Any:
        if hasattr(self._kind, name):  # a method of Python's numbers
            self._unknown()
        raise AttributeError(f"'{self._kind.__name__}' object has no attribute '{name}'", name=name, obj=self)

    def _unknown(self, *_: object) -> Any:
        raise NeedsValue("the value of a number that the graph computes is needed while the graph is built")

    __hash__ = __str__ = __repr__ = __format__ = __reduce_ex__ = __deepcopy__ = _unknown
    __round__ = __array__ = __array_ufunc__ = _unknown  # type: ignore[assignment]
    __divmod__ = __rdivmod__ = __lshift__ = __rshift__ = __rlshift__ = __rrshift__ = _unknown


def _class_of(kind: type, dtype: type) -> type[ComputedNumber]:
    name = f"Computed{kind.__name__.capitalize()}"
    return type(name, (ComputedNumber,), {"_kind": kind, "dtype_of_kind": np.dtype(dtype), "__module__": __name__})


OF_KIND = {bool: _class_of(bool, np.bool_), int: _class_of(int, np.int64), float: _class_of(float, np.float64)}
_WIDTH = {kind: i for i, kind in enumerate(OF_KIND)}


def computed(kind: type, value: Array) -> Any:
    """Return a traced array of one element as a number of a kind."""
    return OF_KIND[kind](value)


def kind_of(value: object) -> type | None:
    """Return bool, int or float for a number, known or computed; None for other values."""
    kind = value._kind if isinstance(value, TracedNumber) else type(value)
    return kind if kind in OF_KIND else None


def widest(*kinds: type) -> type:
    """Return the widest of these kinds of numbers."""
    return max(kinds, key=_WIDTH.__getitem__)


def dtype_of(kind: type) -> np.dtype:
    """Return the dtype in which a graph holds a number of a kind."""
    return OF_KIND[kind].dtype_of_kind


# --- arithmetic -----------------------------------------------------------------------------------------------------------

_OF_BITS = ("and", "or", "xor")
_DIVISIONS = ("truediv", "floordiv", "mod")
_OFFSETS: dict[str, Callable[[int], int]] = {
    "add": operator.pos,
    "sub": operator.neg,
}  # what a known int adds to an argument


def _defined(name: str, compute: Callable[..., Any], reverse: bool = False) -> Callable[..., Any]:
    """Return an operation of numbers; with Tensors it is the Tensor operation, with other values Python's."""
    method = f"__{'r' * reverse}{name.strip('_')}__"

    def run(self: TracedNumber, *others: object) -> Any:
        if not all(map(kind_of, others)):
            if any(isinstance(o, (np.ndarray, np.generic)) for o in others):
                self._unknown()  # the result is NumPy's
            return getattr(Tensor, method)(self, *others) if isinstance(others[0], Tensor) else NotImplemented
        return compute(*([*others, self] if reverse else [self, *others]))

    return run


def _array(value: object, kind: type) -> Any:
    data = value._data if isinstance(value, Tensor) else np.asarray(value, dtype_of(kind_of(value) or kind))
    return jnp.asarray(data).astype(dtype_of(kind))


def _operator(name: str) -> Callable[..., Any]:
    return getattr(operator, f"{name}_" if name in ("and", "or") else name)


def _arithmetic(name: str) -> Callable[..., Any]:
    apply = _operator(name)

    def compute(*values: object) -> Any:
        kinds = [kind_of(v) or int for v in values]
        kind = widest(*kinds) if name in _OF_BITS else widest(int, *kinds)
        if name in _OF_BITS and kind is float:
            return NotImplemented
        if name == "pow":
            kind = _kind_of_power(*values, kind=kind)
        elif name == "truediv":
            kind = float
        if name in _DIVISIONS:
            _check_divisor(values[1], apply, kinds)
        return computed(kind, apply(*[_array(v, kind) for v in values]))

    return compute


def _check_divisor(divisor: object, apply: Callable[..., Any], kinds: list[type]) -> None:
    """Raise what Python raises if the divisor is zero, now or when the graph runs."""
    try:
        apply(kinds[0](1), kinds[1](0))
    except ZeroDivisionError as error:
        if not isinstance(divisor, TracedNumber):
            if divisor == 0:
                raise
        else:
            fail_unless(divisor._data != 0, ZeroDivisionError(*error.args))


def _kind_of_power(base: Any, exponent: Any, kind: type) -> type:
    """Return the kind of a power, if that does not depend on values."""
    if isinstance(exponent, ComputedNumber):
        if kind is float and not isinstance(base, ComputedNumber) and base > 0:
            return float
    elif kind_of(exponent) in (int, bool) and exponent >= 0:
        return kind
    raise NeedsValue("whether a power is an int, a float or complex depends on values that the graph computes")


def _comparison(name: str) -> Callable[..., Any]:
    def compute(one: object, other: object) -> Any:
        kind = widest(kind_of(one) or int, kind_of(other) or int)
        return computed(bool, getattr(operator, name)(_array(one, kind), _array(other, kind)))

    return compute


def _unary(name: str) -> Callable[..., Any]:
    def compute(one: object) -> Any:
        kind = widest(int, kind_of(one) or int)
        return computed(kind, getattr(operator, name)(_array(one, kind)))

    return compute


def _of_arguments(name: str, reverse: bool = False) -> Callable[..., Any]:
    """Return an operation of numbers that are arguments of the graph, with each other and with known numbers."""
    apply, method = _operator(name), f"__{'r' * reverse}{name}__"

    def run(self: TracedNumber, *others: object) -> Any:
        if not all(is_number(o) or type(o) in (bool, TracedNumber) for o in others):
            return getattr(Tensor, method)(self, *others)
        operands = [*others, self] if reverse else [self, *others]
        if name in _DIVISIONS:
            _check_divisor(operands[1], apply, [kind_of(o) or int for o in operands])
        out = apply(*[o._data if isinstance(o, TracedNumber) else o for o in operands])
        if (
            name in _OFFSETS
            and (name == "add" or not reverse)
            and self._kind is int
            and type(known := others[0]) is int
        ):
            return self.plus(_OFFSETS[name](known), out)
        return TracedNumber(out, float if out.dtype.kind == "f" else int)

    return run


for _name in ("add", "sub", "mul", "pow", *_DIVISIONS, *_OF_BITS):
    for _prefix, _reverse in (("", False), ("r", True), ("i", False)):
        setattr(TracedNumber, f"__{_prefix}{_name}__", _of_arguments(_name, _reverse))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(TracedNumber, f"__{_name}__", _of_arguments(_name))
for _name in ("add", "sub", "mul", "pow", *_DIVISIONS, *_OF_BITS):
    for _prefix, _reverse in (("", False), ("r", True), ("i", False)):
        setattr(ComputedNumber, f"__{_prefix}{_name}__", _defined(_name, _arithmetic(_name), _reverse))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(TracedNumber, f"__{_name}__", _defined(_name, _comparison(_name)))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(ComputedNumber, f"__{_name}__", _defined(_name, _unary(_name)))
