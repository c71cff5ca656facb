"""Times of the operations of PyNative mode by operator and line of the program; each operation is waited for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import jax

from sporax._src.base.jax_compat import is_tracer
from sporax._src.base.stopwatch import COMPILING, stopwatch
from sporax._src.base.typing import Array
from sporax._src.engine.dispatch import Kernel, debugging
from sporax._src.transform.graph.provenance import Source, source_now


class OperatorTimes:
    """Adds up the seconds and the calls of each operation of PyNative mode, from `start` to `stop`."""

    def __init__(self) -> None:
        self.totals: dict[Source, tuple[float, int]] = {}
        self._is_running = False

    def start(self) -> None:
        """Wrap the kernels that run from now on, except those that debugging has wrapped."""
        if debugging.check is None:
            debugging.check, self._is_running = self._timed, True

    def stop(self) -> None:
        """Stop wrapping kernels."""
        if self._is_running and debugging.check == self._timed:
            debugging.check = None
        self._is_running = False

    def _timed(self, kernel: Kernel) -> Kernel:
        return TimedKernel(kernel, self) if type(kernel) is Kernel else kernel  # a graph is measured by its trace

    def measure(self, name: str, source: Source, run: Callable[..., Any], *operands: object) -> Any:
        """Run an operation, wait for it, and add its time without compilation."""
        compiling, began = stopwatch.seconds[COMPILING], time.perf_counter()
        out = jax.block_until_ready(run(*operands))
        took = time.perf_counter() - began - (stopwatch.seconds[COMPILING] - compiling)
        key = source._replace(cells="", op=name.replace("._", "."))
        seconds, calls = self.totals.get(key, (0.0, 0))
        self.totals[key] = seconds + took, calls + 1
        return out


class TimedKernel(Kernel):
    """A kernel of PyNative mode that is waited for and measured."""

    __slots__ = ("_inner", "_times")

    def __init__(self, kernel: Kernel, times: OperatorTimes) -> None:
        self.fn, self.name, self.shown = kernel.fn, kernel.name, kernel.shown
        self.bounds, self.traits = kernel.bounds, kernel.traits
        self._inner, self._times = kernel, times
        self.run = self._run

    def _run(self, *data: Array) -> Any:
        if any(map(is_tracer, data)):
            return self._inner.run(*data)
        return self._times.measure(self.name, source_now(), self._inner.run, *data)

    def record(self, wrt: tuple[int, ...], data: Sequence[Any]) -> Any:
        """Run the function (see `Kernel`); the pullback remembers where it comes from."""
        source = source_now()
        out, pullback = self._times.measure(self.name, source, self._inner.record, wrt, data)
        return out, (pullback, source._replace(transforms=("transpose",)))

    def pull(self, pullback: tuple[Any, ...], cts: tuple[Any, ...]) -> Any:
        """Run a pullback that `record` returned."""
        function, source = pullback
        return self._times.measure(self.name, source, self._inner.pull, function, cts)

    def adjoint(self, wrt: tuple[int, ...], count: int) -> Kernel:
        """Return the backward as a kernel of its own (see `Kernel`)."""
        return TimedKernel(self._inner.adjoint(wrt, count), self._times)

    def cast(self, dtype: Any) -> Kernel:
        """Return the kernel that casts float operands first (see `Kernel`)."""
        return TimedKernel(self._inner.cast(dtype), self._times)
