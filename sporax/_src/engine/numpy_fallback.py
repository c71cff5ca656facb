"""NumPy fallback of PyNative mode: NumPy computes operators whose shapes keep changing, without compilation.

XLA compiles an operator for each shape, in 10 to 100 ms. In a program that trains on texts of all lengths, adds a token
to its text, or keeps some boxes of each picture, nearly every call has a new shape. Most of the time would be compilation.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import numpy as np

from sporax._src.base import config
from sporax._src.base.jax_compat import is_tracer
from sporax._src.core.execution import current
from sporax._src.engine.any_size import AnySize, Scope, Shapes, sizes_of, variables, varying
from sporax._src.engine.numpy_programs import NotInNumPy, Program

USUAL = 2  # signatures at one call site, after which more are expected
_OFTEN = 256  # calls of a signature, after which its compilation pays off
_MOST_PROGRAMS = 256  # cached programs of a function
_MOST_PATTERNS = 8  # traces of a function with other sizes as variables

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
    if site.signatures < USUAL or not is_one_cpu():
        return False
    _growing.add(name)
    return True


def meets_new_shapes(name: str) -> bool:
    """Return whether an operator was compiled for several signatures at this call site, in other gradients than this one.

    A network that is built of layers of many shapes calls each operator once at each site, with one signature or, for the last
    batch of an epoch, two. False unless XLA runs on one CPU device.
    """
    site = _sites.get((name, _call_site()))
    return site is not None and site.signatures >= USUAL and site.session != _session() and is_one_cpu()


def has_met_new_shapes(name: str) -> bool:
    """Return whether the shapes of an operator keep changing at some call site."""
    return name in _growing


def is_one_cpu() -> bool:
    """Return whether XLA runs on one CPU device."""
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
            cell = frame.f_locals.get(code.co_varnames[0]) if code.co_name == "construct" and code.co_argcount else None
            lines.append((code, frame.f_lineno, id(cell)))
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
            try:
                entry = self._computed(args)
            except NotInNumPy:
                entry = None
            self._programs[key] = entry
        if entry is None:
            return self._compiled(*args)
        entry.calls += 1
        if entry.calls == _OFTEN:
            self._programs[key] = None
        return jax.tree.unflatten(entry.structure, entry.program.on_device(arrays))

    def clear_cache(self) -> None:
        """Drop the executables."""
        compiled: Any = self._compiled
        compiled.clear_cache()

    def _computed(self, args: tuple[Any, ...]) -> _Computed | None:
        traced, results = jax.make_jaxpr(self._fn, return_shape=True)(*args)
        return _Computed(Program(traced), jax.tree.structure(results))


@dataclass
class _Computed:
    """The NumPy program of a signature, the structure of its results, and how often it has run."""

    program: Program
    structure: Any
    calls: int = 0


class ForNumpy(NamedTuple):
    """A function of arrays as NumPy traces it.

    Attributes:
        fn: The function.
        sized: Called with what the function returned while some sizes were variables, and their scope. It returns the function
            from the values of the sizes to the structure of the results for these values. None: the structure is always the same.
    """

    fn: Callable[..., Any]
    sized: Callable[[Any, Scope], Callable[[dict[str, int]], Any]] | None = None


class Uncompiled(NumpyFunction):
    """An operator that NumPy computes for signatures it was not compiled for, at call sites where shapes keep changing.

    After `set_deterministic(True)` all operators are compiled.

    Args:
        name: The operator.
        traced: Its function.
        compiled: The same, compiled for each signature.
        seen: The signatures it was compiled for, by their hashes.
    """

    __slots__ = ("_any_sizes", "_last", "_name", "_seen", "_sized")

    def __init__(self, name: str, traced: ForNumpy, compiled: Callable[..., Any], seen: set[int]) -> None:
        super().__init__(traced.fn, compiled)
        self._name, self._seen, self._sized = name, seen, traced.sized
        self._last: dict[Any, Shapes] = {}
        self._any_sizes: dict[Any, list[tuple[Shapes, Any]]] = {}

    def _computed(self, args: tuple[Any, ...]) -> _Computed | None:
        if signature_of([jax.typeof(a) for a in args]) in self._seen or not meets_new_shapes(self._name):
            return None
        try:
            found = self._of_any_size(args)
        except NotInNumPy:
            found = None
        return found or super()._computed(args)

    def _of_any_size(self, args: tuple[Any, ...]) -> _Computed | None:
        """Return the program from a trace in which the sizes that change are variables; None if there is none."""
        kinds = tuple([a.dtype if hasattr(a, "dtype") else type(a) for a in args])
        shapes = tuple([np.shape(a) for a in args])
        patterns = self._any_sizes.setdefault(kinds, [])
        for pattern, program_at in patterns:
            sizes = sizes_of(pattern, shapes)
            if sizes is not None:
                return None if program_at is None else program_at(sizes)
        before, self._last[kinds] = self._last.get(kinds), shapes
        pattern = None if before is None else varying(before, shapes)
        if pattern is None or len(patterns) >= _MOST_PATTERNS:
            return None
        try:
            program_at = self._traced_for(args, pattern)
        except NotInNumPy:
            program_at = None
        patterns.append((pattern, program_at))
        sizes = sizes_of(pattern, shapes)
        return None if program_at is None or sizes is None else program_at(sizes)

    def _traced_for(self, args: tuple[Any, ...], pattern: Shapes) -> Callable[[dict[str, int]], _Computed]:
        scope = Scope.of(pattern, tuple([np.shape(a) for a in args]))
        traced = AnySize(self._fn, variables(args, pattern, scope), scope)
        if self._sized is not None:
            structure_at = self._sized(traced.results, scope)
            return lambda sizes: _Computed(traced.at(sizes), structure_at(sizes))
        structure = jax.tree.structure(traced.results)
        return lambda sizes: _Computed(traced.at(sizes), structure)


def signature_of(leaves: list[Any]) -> int:
    """Return the hash of the shapes and dtypes that a function is compiled for."""
    return hash(tuple((a.shape, a.dtype) for a in leaves))
