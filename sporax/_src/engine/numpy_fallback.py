"""NumPy fallback of PyNative mode: NumPy computes small operators whose shapes keep changing, without compilation.

XLA compiles an operator for each shape, in 10 to 100 ms. In a program that adds a token to its text, or keeps some
boxes of each picture, nearly every call has a new shape. Most of the time would be compilation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from sporax._src.base import config
from sporax._src.base.jax_compat import is_tracer, to_device
from sporax._src.base.typing import Array
from sporax._src.core.execution import current
from sporax._src.engine.numpy_programs import NotInNumPy, Program

USUAL = 12  # signatures that differ in one size, after which more are expected
_OFTEN = 64  # calls of a signature, after which its compilation pays off
_MOST_PROGRAMS = 256  # cached programs of a function

Shapes = tuple[tuple[int | None, ...], ...]

_compiled: Counter[tuple[str, Shapes]] = Counter()
_growing: set[str] = set()


def note_compiled(name: str, shapes: Shapes) -> bool:
    """Record that an operator is compiled for one more signature; return whether its shapes keep changing."""
    for pattern in _patterns(shapes):
        _compiled[name, pattern] += 1
    if not meets_new_shapes(name, shapes):
        return False
    _growing.add(name)
    return True


def meets_new_shapes(name: str, shapes: Shapes) -> bool:
    """Return whether an operator was compiled for many signatures that differ from this one in one size, or in static arguments.

    A network has layers of many shapes, but few that differ in one size only. False unless XLA runs on one CPU device.
    """
    if not any(_compiled[name, pattern] >= USUAL for pattern in _patterns(shapes)):
        return False
    return config.on_cpu() and jax.device_count() == 1


def has_met_new_shapes(name: str) -> bool:
    """Return whether `meets_new_shapes` has been true for an operator."""
    return name in _growing


def _patterns(shapes: Shapes) -> Iterator[Shapes]:
    """Yield the patterns of shapes that differ in one size: the shapes with each of their sizes removed in turn."""
    yield shapes
    for left_out in {size for shape in shapes for size in shape}:
        yield tuple([tuple([None if size == left_out else size for size in shape]) for shape in shapes])


class Uncompiled:
    """A function that NumPy computes for signatures it was not compiled for, if it can and they are small.

    A frequent signature is compiled after all. Operators under a gradient are always compiled, so that training is
    reproducible whatever the process has computed before; after `set_deterministic(True)` all operators are.

    Args:
        name: The operator.
        fn: Its function of arrays.
        compiled: The same, compiled for each signature.
        seen: The signatures it was compiled for, by their hashes.
    """

    __slots__ = ("_compiled", "_fn", "_name", "_programs", "_seen")

    def __init__(self, name: str, fn: Callable[..., Any], compiled: Callable[..., Any], seen: set[int]) -> None:
        self._name, self._fn, self._compiled, self._seen = name, fn, compiled, seen
        self._programs: dict[tuple[Any, ...], _Computed | None] = {}

    def __call__(self, *arrays: Array) -> Any:
        if current.get().recording or config.is_deterministic() or any(map(is_tracer, arrays)):
            return self._compiled(*arrays)
        key = tuple([(a.shape, a.dtype) if hasattr(a, "shape") else type(a) for a in arrays])
        try:
            entry = self._programs[key]
        except KeyError:
            if len(self._programs) >= _MOST_PROGRAMS:
                self._programs.clear()
            self._programs[key] = entry = self._computed(arrays)
        if entry is None:
            return self._compiled(*arrays)
        entry.calls += 1
        if entry.calls == _OFTEN:
            self._programs[key] = None
        inputs = [np.asarray(a) for a in arrays]
        results = [_own(result, inputs) for result in entry.program(inputs)]
        return tuple(results) if entry.is_tuple else results[0]

    def _computed(self, arrays: tuple[Array, ...]) -> _Computed | None:
        leaves = [jax.typeof(a) for a in arrays]
        if signature_of(leaves) in self._seen or not meets_new_shapes(self._name, shapes_of(leaves)):
            return None
        traced, shapes = jax.make_jaxpr(self._fn, return_shape=True)(*arrays)
        try:
            return _Computed(Program(traced), isinstance(shapes, tuple))
        except NotInNumPy:
            return None


@dataclass
class _Computed:
    """The NumPy program of a signature, whether it returns a tuple, and how often it has run."""

    program: Program
    is_tuple: bool
    calls: int = 0


def shapes_of(leaves: Iterable[Any]) -> Shapes:
    """Return the shapes that a function is compiled for."""
    return tuple([tuple(a.shape) for a in leaves])


def signature_of(leaves: list[Any]) -> int:
    """Return the hash of the shapes and dtypes that a function is compiled for."""
    return hash(tuple((a.shape, a.dtype) for a in leaves))


def _own(result: np.ndarray, inputs: list[np.ndarray]) -> Array:
    """Return a result on the device, in memory of its own."""
    is_own = result.flags.owndata and not any(result is x for x in inputs)
    return to_device(result if is_own else result.copy())
