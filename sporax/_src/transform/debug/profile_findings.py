"""The measurements of a profiler: times of operators in both modes, of compilation, of waiting for data."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from pathlib import Path

import jax

from sporax._src.base.config import cache_dir
from sporax._src.base.stopwatch import COMPILING, stopwatch
from sporax._src.transform.capture import GRAPHS, Graph
from sporax._src.transform.debug import trace_file
from sporax._src.transform.debug.known_lines import KnownLines
from sporax._src.transform.debug.operator_times import OperatorTimes
from sporax._src.transform.debug.profile_report import ProfileReport, relative, report
from sporax._src.transform.graph.provenance import Source

_MODULE = f"jit_{Graph.run.__name__}"  # what XLA calls a graph
_COMPILING = ("/jax/core/compile/jaxpr_to_mlir_module_duration", "/jax/core/compile/backend_compile_duration")


def _compiled(event: str, duration_secs: float, **kwargs: object) -> None:
    if event in _COMPILING:
        stopwatch.add(COMPILING, duration_secs)


class Findings:
    """Measures from `start` to `stop`, then reads the trace; several recordings add up."""

    def __init__(self) -> None:
        self.wall = 0.0
        self._busy = 0.0
        self._times: defaultdict[str, float] = defaultdict(float)
        self._seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
        self._calls: Counter[tuple[str, str]] = Counter()

    def start(self) -> None:
        """Start measuring."""
        self._eager = OperatorTimes()
        self._eager.start()
        jax.monitoring.register_event_duration_secs_listener(_compiled)
        stopwatch.start()
        self._began = time.perf_counter()

    def stop(self) -> None:
        """Stop measuring."""
        self.wall += time.perf_counter() - self._began
        stopwatch.stop()
        jax.monitoring.unregister_event_duration_listener(_compiled)
        self._eager.stop()
        for kind, seconds in stopwatch.seconds.items():
            self._times[kind] += seconds
        for source, (seconds, calls) in self._eager.totals.items():
            self._seconds[_key(source)] += seconds
            self._calls[_key(source)] += calls

    def read(self, folder: Path) -> None:
        """Add the times of graphs from the newest trace in a folder."""
        newest = max(folder.rglob("*.xplane.pb"), key=lambda path: path.stat().st_mtime_ns)
        known = None if cache_dir() is None else KnownLines(list(GRAPHS))
        trace = trace_file.read(newest, _MODULE, known)
        self._busy += trace.busy
        runs: Counter[tuple[str, str]] = Counter()
        for operation in trace.operations:
            key = _key(operation.source)
            self._seconds[key] += operation.seconds
            runs[key] = max(runs[key], operation.runs)  # XLA may split one operation of the program into several
        self._calls.update(runs)

    def report(self) -> ProfileReport:
        """Return the report of the measurements."""
        return report(self._seconds, self._calls, self._times, self._busy, self.wall)


def _key(source: Source) -> tuple[str, str]:
    """Return the operator and the line of a row of the report."""
    operator = f"gradient of {source.op}" if source.is_gradient and source.op else source.op or "(unnamed)"
    return operator, relative(source.line)
