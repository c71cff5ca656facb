"""Checked execution: waits for each operation, and stops at the first that makes a NaN or Inf (`debug_nans`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from sporax._src.base import config
from sporax._src.base.errors import signature
from sporax._src.base.jax_compat import is_tracer
from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.stateful import graph_version
from sporax._src.core.tensor import Tensor
from sporax._src.engine.dispatch import Kernel, debugging
from sporax._src.transform import capture
from sporax._src.transform.capture import Graph
from sporax._src.transform.debug.nonfinite_search import (
    FINITE,
    NAN,
    error,
    is_introduced,
    nan_input_error,
    search,
    state_of,
)
from sporax._src.transform.graph.provenance import Source, source_now


def _look(what: Callable[[], str], source: Callable[[], Source], outs: object, ins: Sequence[int]) -> None:
    """Wait for the results of an operation, and raise if it made a NaN or Inf."""
    leaves = jax.block_until_ready(jax.tree.leaves(outs))
    if not config.get_context("debug_nans"):
        return
    for out in leaves:
        state = state_of(out)
        if state == FINITE:
            continue
        if is_introduced(state, ins):
            raise error(what(), out, source(), ins)
        if state == NAN:
            raise nan_input_error(f"an operand of {what()}", source())


class CheckedKernel(Kernel):
    """A kernel of PyNative mode whose results are checked.

    Args:
        kernel: The kernel.
        source: For a backward, the source of the forward operation; otherwise None.
    """

    __slots__ = ("_inner", "_source")

    def __init__(self, kernel: Kernel, source: Source | None = None) -> None:
        self.fn, self.name, self.shown = kernel.fn, kernel.name, kernel.shown
        self.bounds, self.traits = kernel.bounds, kernel.traits
        self._inner, self._source = kernel, source
        self.run = self._run

    def _run(self, *data: Array) -> Any:
        out = self._inner.run(*data)
        if not any(map(is_tracer, data)):  # a kernel within another is checked by the outer one
            self._check(out, data, self._source)
        return out

    def record(self, wrt: tuple[int, ...], data: Sequence[Any]) -> Any:
        """Run the function (see `Kernel`); the pullback stores the source of the operation."""
        out, pullback = self._inner.record(wrt, data)
        self._check(out, data, None)
        source = source_now()._replace(transforms=("transpose",))
        return out, (pullback, source, [jax.typeof(d) for d in data])

    def pull(self, pullback: tuple[Any, ...], cts: tuple[Any, ...]) -> Any:
        """Run a pullback that `record` returned."""
        function, source, operands = pullback
        out = self._inner.pull(function, cts)
        _look(lambda: signature(self.name, operands, self.shown), lambda: source, out, [state_of(c) for c in cts])
        return out

    def adjoint(self, wrt: tuple[int, ...], count: int) -> Kernel:
        """Return the backward as a kernel of its own (see `Kernel`)."""
        return CheckedKernel(self._inner.adjoint(wrt, count), source_now())

    def cast(self, dtype: Any) -> Kernel:
        """Return the kernel that casts float operands first (see `Kernel`)."""
        return CheckedKernel(self._inner.cast(dtype), self._source)

    def _check(self, out: object, data: Sequence[Any], source: Source | None) -> None:
        ins = [state_of(v) for v in (*data, *self.shown.values())]
        _look(lambda: signature(self.name, data, self.shown), lambda: source or source_now(), out, ins)


def watch(kernel: Kernel) -> Kernel:
    """Return a kernel whose results are checked."""
    return kernel if isinstance(kernel, CheckedKernel) else CheckedKernel(kernel)


class AwaitedGraph(Graph):
    """A graph whose caller waits for its results."""

    def __call__(self, arrays: list[Tensor]) -> Any:
        """Run the graph (see `Graph`)."""
        out = super().__call__(arrays)
        jax.block_until_ready([s.concrete() for s in self.written])
        tree.map_leaves(lambda t: jax.block_until_ready(t._data), out, lambda v: isinstance(v, Tensor))
        return out


class CheckedGraph(Graph):
    """A graph whose results are checked; if one is not finite, the graph is searched and no state is written."""

    donate = ()

    def _launch(self, donated: Sequence[Any], retained: Sequence[Any], arrays: Sequence[Any]) -> Any:
        outs = super()._launch(donated, retained, arrays)
        if any(state_of(out) for out in outs):
            self._search([*self.plan.values(donated, retained), *arrays])
        return outs

    def _recorded(self, arrays: list[Tensor]) -> Any:
        values = [*(s.concrete() for s in self.states), *(t._data for t in arrays)]
        try:
            return super()._recorded(arrays)
        except FloatingPointError:
            self._search(values)
            raise

    def _search(self, values: list[Any]) -> None:
        finite, problem = search(self.jaxpr, values, [f"'{name}'" for name in self.inputs])
        if problem is not None:
            raise FloatingPointError(f"{self.name}: {problem}")
        if finite:
            raise FloatingPointError(
                f"{self.name}: the compiled graph gives NaN or Inf, but its operations one by one give finite numbers."
            )


def _switch() -> None:
    """Set the class of new graphs and wrap kernels, as the context asks."""
    awaited = AwaitedGraph if config.get_context("pynative_synchronize") else Graph
    capture.graph_class = CheckedGraph if config.get_context("debug_nans") else awaited
    debugging.check = None if capture.graph_class is Graph else watch
    graph_version.advance()  # existing graphs of another class are invalid


config.on_change("debug_nans", _switch)
config.on_change("pynative_synchronize", _switch)
_switch()
