"""Operators of PyNative mode that meet ever new shapes: after a while NumPy computes the small ones, and nothing is compiled.

XLA compiles an operator for each shape, in 10 to 100 ms. A program that adds a token to its text, or keeps some boxes of each
picture, meets new shapes without end, and would do nothing but compile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from sporax._src.base import config
from sporax._src.base.jax_compat import is_tracer, to_device
from sporax._src.base.typing import Array
from sporax._src.core.execution import current
from sporax._src.engine.numpy_programs import NotInNumPy, Program

USUAL = 16  # signatures that an operator is compiled for, whatever comes
_MOST_PROGRAMS = 256  # of a function

_compiled: Counter[str] = Counter()


def note_compiled(name: str) -> bool:
    """Take notice that an operator is compiled for one more signature; tell whether new ones come without end."""
    _compiled[name] += 1
    return meets_new_shapes(name)


def meets_new_shapes(name: str) -> bool:
    """Tell whether NumPy shall compute what an operator is not compiled for yet: on a CPU that is the only device."""
    return _compiled[name] >= USUAL and jax.default_backend() == "cpu" and jax.device_count() == 1


class Uncompiled:
    """A function that NumPy computes for signatures it was not compiled for, if it can and they are small.

    A signature is computed in one way, or results would change in the last bits from call to call. What a gradient depends on is
    compiled, so that training repeats its numbers whatever a process has computed before, and all is after
    `set_deterministic(True)`.

    Args:
        fn: The function of arrays.
        compiled: The same, compiled for each signature.
        seen: The signatures it was compiled for, by their hashes.
    """

    __slots__ = ("_compiled", "_fn", "_programs", "_seen")

    def __init__(self, fn: Callable[..., Any], compiled: Callable[..., Any], seen: set[int]) -> None:
        self._fn, self._compiled, self._seen = fn, compiled, seen
        self._programs: dict[tuple[Any, ...], tuple[Program | None, bool]] = {}

    def __call__(self, *arrays: Array) -> Any:
        if current.get().recording or config.is_deterministic() or any(map(is_tracer, arrays)):
            return self._compiled(*arrays)
        key = tuple([(a.shape, a.dtype) if hasattr(a, "shape") else type(a) for a in arrays])
        found = self._programs.get(key)
        if found is None:
            if len(self._programs) >= _MOST_PROGRAMS:
                self._programs.clear()
            self._programs[key] = found = self._program(arrays)
        program, is_tuple = found
        if program is None:
            return self._compiled(*arrays)
        given = [np.asarray(a) for a in arrays]
        results = [_own(result, given) for result in program(given)]
        return tuple(results) if is_tuple else results[0]

    def _program(self, arrays: tuple[Array, ...]) -> tuple[Program | None, bool]:
        if signature_of([jax.typeof(a) for a in arrays]) in self._seen:
            return None, False
        traced, shapes = jax.make_jaxpr(self._fn, return_shape=True)(*arrays)
        try:
            return Program(traced), isinstance(shapes, tuple)
        except NotInNumPy:
            return None, False


def signature_of(leaves: list[Any]) -> int:
    """Return the hash of the shapes and dtypes that a function is compiled for."""
    return hash(tuple((a.shape, a.dtype) for a in leaves))


def _own(result: np.ndarray, given: list[np.ndarray]) -> Array:
    """Return a result on the device, in memory that is nobody else's."""
    is_own = result.flags.owndata and not any(result is x for x in given)
    return to_device(result if is_own else result.copy())
