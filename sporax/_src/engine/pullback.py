"""The pullback of one recorded operation: what its backward keeps, and how the backward runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from sporax._src.base import config
from sporax._src.engine.any_size import AnySizeBackward, Scope
from sporax._src.engine.compiled_ahead import CompiledAhead, idle_processors
from sporax._src.engine.numpy_fallback import NumpyFunction
from sporax._src.engine.numpy_windows import NotInNumPy
from sporax._src.engine.quick_kernels import QuickAtFirst, compiled
from sporax._src.engine.traits import Traits
from sporax._src.engine.vjp import is_inexact
from sporax._src.processes.multiprocess import OnRanks


class Backward:
    """The backward of one operation at one signature: `(residuals, cotangents) -> gradients`.

    None is the cotangent of a result on which nothing depends.

    Args:
        fn, run: The function, and what runs it: compiled, or by NumPy.
        ahead: The number of the only result that has a cotangent, if the backward is to be compiled when its forward has run.
        lent: The positions of its last residuals, among the operands and then the results of the forward.
    """

    __slots__ = ("ahead", "fn", "lent", "run")

    def __init__(
        self,
        fn: Callable[..., Any],
        run: Callable[..., Any],
        ahead: int | None = None,
        lent: Sequence[int] = (),
    ) -> None:
        self.fn, self.run, self.ahead, self.lent = fn, run, ahead, lent

    @staticmethod
    def compiled(
        structure: object, depends: Sequence[bool], traits: Traits, order: Sequence[int], lent: Sequence[int]
    ) -> Backward:
        """Return the compiled backward for a pullback with this structure.

        Args:
            structure: The pullback without its residuals.
            depends: Whether each result depends on an operand.
            traits: The traits of the operator.
            order: For each residual of the structure, its index in the argument `residuals`.
            lent: See `Backward`.
        """

        def fn(residuals: Sequence[Any], cts: Sequence[Any]) -> Any:
            return jax.tree.unflatten(structure, [residuals[i] for i in order])(cts)

        if traits.exchanges:
            return Backward(fn, OnRanks(config.compiler_options(traits.convolves), fn))
        is_one = sum(depends) == 1 and idle_processors() > 0
        backward = Backward(fn, fn, depends.index(True) if is_one else None, lent)
        backward.run = compiled(fn, traits.convolves, backward.settle)
        return backward

    def settle(self, quick: QuickAtFirst, run: Any) -> None:
        """Run the optimized function in place of the one that was compiled quickly."""
        if self.run is quick:
            self.run = run

    def compile_ahead(self, residuals: Sequence[Any], outs: Sequence[Any]) -> None:
        """Compile it on another thread, for the results of its forward."""
        cts = [o if i == self.ahead else None for i, o in enumerate(outs)]
        self.ahead = None
        self.run = CompiledAhead(self.run, (residuals, cts), functools.partial(setattr, self, "run"))

    def use_numpy(self) -> None:
        """Let NumPy compute it, if it can: its forward has one of many signatures."""
        self.run, self.ahead = NumpyFunction(self.fn, self.run), None

    def clear(self) -> None:
        """Drop the executable."""
        run: Any = self.run
        run.clear_cache()


def backward_of_any_size(results: tuple[Any, Pullback], scope: Scope) -> Callable[[dict[str, int]], Any]:
    """Return the function from the values of variable sizes to the structure of an operation's results with its pullback.

    Args:
        results: What the operation returned: the shapes and dtypes of its results and its residuals.
        scope: The scope of the variables.
    """
    out, pullback = results
    outs = out if isinstance(out, tuple) else (out,)
    if not all(map(is_inexact, outs)):
        raise NotInNumPy("integers")  # their cotangents are floats or None
    fn = pullback.backward.fn
    backward = AnySizeBackward(fn, pullback.residuals, outs, scope)
    return lambda sizes: jax.tree.structure((out, Pullback(Backward(fn, backward.at(sizes)), pullback.residuals)))


class Pullback:
    """The residuals of one recorded operation with its backward; compiled calls return it."""

    __slots__ = ("backward", "residuals")

    def __init__(self, backward: Backward, residuals: Sequence[Any]) -> None:
        self.backward = backward
        self.residuals = residuals

    @staticmethod
    def of(pullback: Callable[..., Any], depends: Sequence[bool], traits: Traits, lenders: Sequence[Any]) -> Pullback:
        """Split a traced pullback into a backward, compiled once, and the values it needs.

        XLA would copy a residual that is an operand or a result. Such residuals are left out: `record` adds them.
        """
        residuals, structure = jax.tree.flatten(pullback)
        place = {id(a): i for i, a in reversed(list(enumerate(lenders)))}
        own = [i for i, r in enumerate(residuals) if id(r) not in place]
        others = [i for i, r in enumerate(residuals) if id(r) in place]
        index = {i: k for k, i in enumerate([*own, *others])}
        order = [index[i] for i in range(len(residuals))]
        backward = Backward.compiled(structure, depends, traits, order, [place[id(residuals[i])] for i in others])
        return Pullback(backward, [residuals[i] for i in own])


jax.tree_util.register_pytree_node(Pullback, lambda p: (p.residuals, p.backward), Pullback)
