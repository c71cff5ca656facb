"""NumPy fallback of PyNative mode: NumPy computes operators whose shapes keep changing, without compilation.

XLA compiles an operator for each shape, in 10 to 100 ms. In a program that trains on texts of all lengths, adds a token
to its text, or keeps some boxes of each picture, nearly every call has a new shape. Most of the time would be compilation.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from sporax._src.base import config
from sporax._src.base.jax_compat import is_tracer, to_device
from sporax._src.base.typing import Array
from sporax._src.core.execution import current
from sporax._src.engine.numpy_programs import NotInNumPy, Program

USUAL = 2  # signatures at one call site, after which more are expected
_OFTEN = 256  # calls of a signature, after which its compilation pays off
_MOST_PROGRAMS = 256  # cached programs of a function

_OPERATORS = ("jax.", *[f"sporax._src.{package}." for package in ("engine", "bindings", "api", "ops")])

_ids = itertools.count()


@dataclass
class _Site:
    """A call site of an operator.

    Attributes:
        signatures: How many signatures the operator was compiled for there; those of one gradient count once.
        session: The last gradient that counted.
    """

    signatures: int = 0
    session: object = None


_sites: dict[tuple[str, int], _Site] = {}
_growing: set[str] = set()


def note_compiled(name: str) -> bool:
    """Record that an operator is compiled once more at this call site; return whether its shapes keep changing there."""
    site = _sites.setdefault((name, _call_site()), _Site())
    session = _session()
    if site.session != session:
        site.signatures, site.session = site.signatures + 1, session
    if site.signatures < USUAL or not _is_one_cpu():
        return False
    _growing.add(name)
    return True


def meets_new_shapes(name: str) -> bool:
    """Return whether an operator was compiled for several signatures at this call site, in other gradients than this one.

    A network that is built of layers of many shapes calls each operator once at each site, with one signature or, for the last
    batch of an epoch, two. False unless XLA runs on one CPU device.
    """
    site = _sites.get((name, _call_site()))
    return site is not None and site.signatures >= USUAL and site.session != _session() and _is_one_cpu()


def has_met_new_shapes(name: str) -> bool:
    """Return whether the shapes of an operator keep changing at some call site."""
    return name in _growing


def _is_one_cpu() -> bool:
    return config.on_cpu() and jax.device_count() == 1


def _session() -> object:
    """Return the number of the gradient in progress; outside of one every call counts."""
    session = current.get().session
    return (next(_ids),) if session is None else session.number


def _call_site() -> int:
    """Return a hash of the lines of Python that lead to the running operator, and of the Cells that they belong to."""
    lines: list[tuple[object, int, int]] = []
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if str(frame.f_globals.get("__name__")).startswith(_OPERATORS):
            lines.clear()  # how the operator runs does not matter
        else:
            owner = frame.f_locals.get("self") if code.co_varnames[:1] == ("self",) else None
            lines.append((code, frame.f_lineno, id(owner) if hasattr(type(owner), "construct") else 0))
        frame = frame.f_back
    return hash(tuple(lines))


class NumpyFunction:
    """A function of arrays that NumPy computes, if it can and they are small; a frequent signature is compiled.

    Args:
        fn: The function; its arguments and results are pytrees of arrays.
        compiled: The same, compiled for each signature.
    """

    __slots__ = ("_compiled", "_fn", "_programs")

    def __init__(self, fn: Callable[..., Any], compiled: Callable[..., Any]) -> None:
        self._fn, self._compiled = fn, compiled
        self._programs: dict[Any, _Computed | None] = {}

    def __call__(self, *args: Any) -> Any:
        arrays, structure = jax.tree.flatten(args)
        if config.is_deterministic() or any(map(is_tracer, arrays)):
            return self._compiled(*args)
        key = (structure, *[(a.shape, a.dtype) if hasattr(a, "shape") else type(a) for a in arrays])
        try:
            entry = self._programs[key]
        except KeyError:
            if len(self._programs) >= _MOST_PROGRAMS:
                self._programs.clear()
            self._programs[key] = entry = self._computed(args)
        if entry is None:
            return self._compiled(*args)
        entry.calls += 1
        if entry.calls == _OFTEN:
            self._programs[key] = None
        return entry.run(arrays)

    def _computed(self, args: tuple[Any, ...]) -> _Computed | None:
        traced, results = jax.make_jaxpr(self._fn, return_shape=True)(*args)
        try:
            return _Computed(Program(traced), results)
        except NotInNumPy:
            return None


class Uncompiled(NumpyFunction):
    """An operator that NumPy computes for signatures it was not compiled for, at call sites where shapes keep changing.

    After `set_deterministic(True)` all operators are compiled.

    Args:
        name: The operator.
        fn, compiled: As those of `NumpyFunction`.
        seen: The signatures it was compiled for, by their hashes.
    """

    __slots__ = ("_name", "_seen")

    def __init__(self, name: str, fn: Callable[..., Any], compiled: Callable[..., Any], seen: set[int]) -> None:
        super().__init__(fn, compiled)
        self._name, self._seen = name, seen

    def _computed(self, args: tuple[Any, ...]) -> _Computed | None:
        if signature_of([jax.typeof(a) for a in args]) in self._seen or not meets_new_shapes(self._name):
            return None
        return super()._computed(args)


class _Computed:
    """The NumPy program of a signature.

    Attributes:
        program, results: The program, and the pytree of its results.
        calls: How often it has run.
    """

    __slots__ = ("_structure", "calls", "program", "results")

    def __init__(self, program: Program, results: Any) -> None:
        self.program, self.results = program, results
        self._structure = jax.tree.structure(results)
        self.calls = 0

    def run(self, arrays: list[Array]) -> Any:
        inputs = [np.asarray(a) for a in arrays]
        known = {id(x): a for x, a in zip(inputs, arrays, strict=True) if isinstance(a, jax.Array)}
        return jax.tree.unflatten(self._structure, [_on_device(r, known) for r in self.program(inputs)])


def signature_of(leaves: list[Any]) -> int:
    """Return the hash of the shapes and dtypes that a function is compiled for."""
    return hash(tuple((a.shape, a.dtype) for a in leaves))


def _on_device(result: np.ndarray, known: dict[int, Array]) -> Array:
    """Return a result on the device: an operand itself, or an array in memory of its own."""
    operand = known.get(id(result))
    if operand is not None:
        return operand
    return to_device(result if result.flags.owndata else result.copy())
