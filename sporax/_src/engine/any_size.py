"""Functions that are traced once for all values of some sizes, so that a new length needs neither a trace nor a compilation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import numpy as np

from sporax._src.base.jax_compat import decided_comparisons, size_at
from sporax._src.engine.numpy_programs import NotInNumPy, Program

Shapes = tuple[tuple[Any, ...], ...]


def varying(before: Shapes, now: Shapes) -> Shapes | None:
    """Return the shapes of two calls with a name for each size in which they differ; None if they differ in more than sizes.

    Sizes that were equal, and are, have one name.
    """
    if [len(s) for s in before] != [len(s) for s in now]:
        return None
    names: dict[tuple[int, int], str] = {}
    return tuple(
        [
            tuple([b if a == b else names.setdefault((a, b), f"n{len(names)}") for a, b in zip(old, new, strict=True)])
            for old, new in zip(before, now, strict=True)
        ]
    )


def sizes_of(pattern: Shapes, shapes: Shapes) -> dict[str, int] | None:
    """Return the values of the names in a pattern for the shapes of a call; None if they do not fit it."""
    sizes: dict[str, int] = {}
    for named, shape in zip(pattern, shapes, strict=True):
        if len(named) != len(shape):
            return None
        for name, size in zip(named, shape, strict=True):
            if size != (sizes.setdefault(name, size) if isinstance(name, str) else name):
                return None
    return sizes


class Comparisons:
    """Comparisons of sizes during a trace that JAX could not decide, and what the trace took them to be."""

    def __init__(self) -> None:
        self._unequal: dict[str, Any] = {}
        self._ordered: dict[str, tuple[Any, bool]] = {}

    def hold(self, sizes: dict[str, int]) -> bool:
        """Return whether the trace is valid for values of the variables."""
        return all(size_at(d, sizes) != 0 for d in self._unequal.values()) and all(
            (size_at(d, sizes) >= 0) is is_least for d, is_least in self._ordered.values()
        )

    def differ(self, difference: Any) -> None:
        """Record that two sizes were taken to be different."""
        self._unequal[str(difference)] = difference

    def allow(self, sizes: dict[str, int]) -> None:
        """Forget what does not hold for values of the variables, for which the trace is known to be valid.

        JAX's caches compare sizes, too, with those of earlier traces.
        """
        self._unequal = {text: d for text, d in self._unequal.items() if size_at(d, sizes) != 0}

    def is_at_least_zero(self, difference: Any, sizes: dict[str, int]) -> bool:
        """Return whether a difference is at least zero for values of the variables, and record it."""
        is_least = size_at(difference, sizes) >= 0
        self._ordered[str(difference)] = difference, is_least
        return is_least


class Scope(NamedTuple):
    """The variables of a trace.

    Attributes:
        symbols: JAX's scope of them.
        sizes: Their values in the call that is traced.
    """

    symbols: jax.export.SymbolicScope
    sizes: dict[str, int]

    @staticmethod
    def of(pattern: Shapes, shapes: Shapes) -> Scope:
        """Return a new scope for the names of a pattern, with the values that they have for shapes.

        Raises:
            NotInNumPy: If the shapes do not fit the pattern.
        """
        sizes = sizes_of(pattern, shapes)
        if sizes is None:
            raise NotInNumPy("sizes")
        return Scope(jax.export.SymbolicScope(), sizes)

    @contextmanager
    def compared(self) -> Iterator[Comparisons]:
        """Decide the comparisons of sizes that JAX cannot decide as they are for the values of the variables, and record them."""
        found = Comparisons()
        with decided_comparisons(self.symbols, found.differ, lambda d: found.is_at_least_zero(d, self.sizes)):
            yield found


class Traced:
    """A graph with variables for some sizes.

    Args:
        closed: The result of `jax.make_jaxpr`.
        comparisons: The comparisons of sizes that the trace decided (see `Scope.compared`).
    """

    def __init__(self, closed: Any, comparisons: Comparisons) -> None:
        self._closed, self._comparisons = closed, comparisons
        self._fixed: dict[int, Any] = {}

    def at(self, sizes: dict[str, int]) -> Program:
        """Return the program for values of the sizes.

        Raises:
            NotInNumPy: If the trace is not valid for them, or too large.
        """
        if not self._comparisons.hold(sizes):
            raise NotInNumPy("sizes")
        return Program(self._closed, sizes, self._fixed)


class AnySize(Traced):
    """A function of arrays that is traced with variables for some sizes.

    Args:
        fn: The function; its arguments and results are pytrees of arrays.
        args: Its arguments: arrays, numbers, and the shapes and dtypes that `variables` returns.
        scope: The scope of the variables.

    Attributes:
        results: The pytree of the shapes and dtypes of its results.

    Raises:
        NotInNumPy: If it needs the values of its sizes.
    """

    def __init__(self, fn: Callable[..., Any], args: Sequence[Any], scope: Scope) -> None:
        try:
            with scope.compared() as comparisons:
                closed, self.results = jax.make_jaxpr(fn, return_shape=True)(*args)
        except (
            Exception
        ) as error:  # of a function that needs the values of its sizes: it is traced for each of them instead
            raise NotInNumPy("sizes") from error
        super().__init__(closed, comparisons)


def variables(arrays: Sequence[Any], pattern: Shapes, scope: Scope) -> list[Any]:
    """Return the shapes and dtypes of arrays, with the names of a pattern as variables; numbers stay as they are."""
    names = sorted({name for shape in pattern for name in shape if isinstance(name, str)})
    sizes = dict(zip(names, jax.export.symbolic_shape(",".join(names), scope=scope.symbols), strict=True))

    def variable(array: Any, shape: tuple[Any, ...]) -> Any:
        if not any(isinstance(name, str) for name in shape):
            return array
        aval: Any = jax.typeof(array)
        return jax.ShapeDtypeStruct([sizes.get(n, n) for n in shape], aval.dtype, weak_type=aval.weak_type)

    return [variable(a, s) for a, s in zip(arrays, pattern, strict=True)]


class AnySizeBackward:
    """The backward of a function that is traced with variables for some sizes: `(residuals, cotangents) -> gradients`.

    Args:
        fn: The backward.
        residuals, outs: The shapes and dtypes of the residuals and of the results, which are floats.
        scope: The scope of the variables.

    Raises:
        NotInNumPy: If it needs the values of its sizes.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        residuals: Sequence[Any],
        outs: Sequence[Any],
        scope: Scope,
    ) -> None:
        self._traced = AnySize(fn, (residuals, list(outs)), scope)
        self._structure = jax.tree.structure(self._traced.results)
        self._residuals, self._outs = residuals, outs

    def at(self, sizes: dict[str, int]) -> Callable[[Sequence[Any], Sequence[Any]], Any]:
        """Return the backward for values of the sizes.

        Raises:
            NotInNumPy: If the trace is not valid for them, or too large.
        """
        program, structure = self._traced.at(sizes), self._structure
        outs = [(tuple(size_at(n, sizes) for n in out.shape), out.dtype) for out in self._outs]

        def run(residuals: Sequence[Any], cts: Sequence[Any]) -> Any:
            given = [np.zeros(*out) if ct is None else ct for ct, out in zip(cts, outs, strict=True)]
            return jax.tree.unflatten(structure, program.on_device([*residuals, *given]))

        return run
