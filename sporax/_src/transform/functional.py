"""The basis of every transform: a function of Tensors as a pure function of arrays and state values."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from types import GeneratorType
from typing import Any

from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.execution import run_apart
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import Scope, traceable
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.core.traced_number import Range, TracedNumber, is_number


def is_operand(value: object) -> bool:
    """Return whether an argument is an operand of the graph: a Tensor that is no Parameter."""
    return isinstance(value, Tensor) and not isinstance(value, Parameter) and type(value) is not TracedNumber


def split(value: object) -> tuple[list[Tensor], Any]:
    """Return the Tensors of a nested argument and the structure without them."""
    leaves: list[Tensor] = []
    return leaves, tree.flatten(value, is_operand, leaves)


def split_numbers(value: object) -> tuple[list[Tensor], Any]:
    """Return the Tensors and the numbers of a nested argument, and the structure without them."""
    leaves: list[Any] = []
    structure = tree.flatten(value, lambda v: is_operand(v) or is_number(v), leaves)
    return [TracedNumber(v, type(v)) if is_number(v) else v for v in leaves], structure


def _operand(array: Array) -> Tensor:
    """Return a fresh Tensor, or a number, around a value."""
    if getattr(getattr(array, "aval", None), "weak_type", False):
        return TracedNumber(array, float) if array.dtype.kind == "f" else TracedNumber(array, int, Range())
    return wrap(array)


class Traced:
    """The record of one run of a functional: the structure of its result, its scope, the states it wrote.

    Attributes:
        ranges: For each argument, the numbers for which the run is valid; None for Tensors and floats.
    """

    __slots__ = ("ranges", "scope", "structure", "written")

    def __init__(self) -> None:
        self.ranges: list[Range | None] = []
        self.structure: Any = None
        self.scope: Scope | None = None
        self.written: list[Any] = []

    @property
    def needs_value(self) -> bool:
        """Whether a value was requested that is known only in a run."""
        return self.scope is not None and self.scope.needs_value


COLLECTORS: dict[type, Callable[[Any], Any]] = {
    zip: tuple, enumerate: tuple, range: tuple, filter: list, GeneratorType: list,
    type({}.keys()): tuple, type({}.values()): tuple, type({}.items()): list,
}  # fmt: skip


def collected(value: Any) -> Any:
    """Return a nested value in which iterators and dict views become tuples and lists, as in MindSpore's graphs."""
    kind = type(value)
    if kind in (list, tuple):
        return kind([collected(v) for v in value])
    if kind is dict:
        return {key: collected(v) for key, v in value.items()}
    if kind is map:
        lists = any(type(v) is type(iter([])) for v in value.__reduce__()[1][1:])
        return (list if lists else tuple)([collected(v) for v in value])
    return COLLECTORS[kind]([collected(v) for v in value]) if kind in COLLECTORS else value


def functional(
    fn: Callable[..., Any],
    states: Sequence[Any],
    structure: tree.Structure,
    seen: Traced,
    rewrite: Callable[[Any], Any] | None = None,
    shadows: dict[int, Any] | None = None,
    counted: Set[int] = frozenset(),
    differentiates: bool = False,
) -> Callable[..., Any]:
    """Return `pure(values, arrays) -> (result arrays, written values)` of `fn`.

    Args:
        fn: A function of Tensors that may read and write Parameters and random state.
        states: The states whose values are inputs.
        structure: The structure of `(args, kwargs)`, as `split` returns it.
        seen: Set by each run: the structure of its result, its scope and its written states.
        rewrite: Applied to user functions that the run calls, see `Scope`.
        shadows: The float shadows of integers, see `Scope`.
        counted: The Cells whose forwards are counted, see `Scope`.
        differentiates: Whether a gradient of it is taken, see `Scope`.
    """

    def pure(values: Sequence[Any], arrays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return run_apart(traced, values, arrays)

    def traced(values: Sequence[Any], arrays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        with Scope(dict(zip(map(id, states), values, strict=True)), rewrite, shadows, counted, differentiates) as scope:
            operands = [_operand(a) for a in arrays]
            seen.ranges = [o._values if type(o) is TracedNumber else None for o in operands]
            args, kwargs = tree.unflatten(structure, iter(operands))
            results: list[Tensor] = []
            result = traceable(fn)(*args, **kwargs)
            result = collected(result)  # no part of the result may be computed after the trace
            seen.structure = tree.flatten(result, is_tensor, results)
            out = [t._data for t in results]
        seen.scope = scope
        written = scope.written()
        seen.written = [state for state, _ in written]
        return out, [value for _, value in written]

    return pure


def adopt(states: Sequence[Any], values: Sequence[Any]) -> None:
    """Write the values that a pure function returned into its states."""
    for state, value in zip(states, values, strict=True):
        state.adopt(value)
