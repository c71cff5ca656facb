"""Times of the operations of graphs, read from the traces that JAX's profiler writes."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sporax._src.transform.debug.known_lines import KnownLines
from sporax._src.transform.graph.provenance import STAGE, Source, user_line

_GRADIENT = "transpose("
_OF_A_TRANSFORM = re.compile(r"^(?!jit\()(?:\w+\()+([^()]*)\)+$")
_OF_XLA = re.compile(
    r"p?jit\(.*|while|body|cond|branch_\d+_fun|closed_call|checkpoint|rematted_computation|custom_[jv][jv]p_call"
)


class Operation(NamedTuple):
    """One operation of a graph in a trace.

    Attributes:
        program: The number of the compiled graph.
        source: Its source.
        seconds: Its time, summed over all threads.
        runs: The number of runs of the graph that executed it.
    """

    program: int
    source: Source
    seconds: float
    runs: int


class Trace(NamedTuple):
    """The content of a trace: the operations, and for how many seconds at least one of them ran."""

    operations: list[Operation]
    busy: float


def read(path: Path, graph: str, known: KnownLines | None = None) -> Trace:
    """Return the operations in a trace of the graphs with a module name, and how long the device was busy.

    Args:
        path: The file.
        graph: The name.
        known: The current lines, if the graphs may carry outdated ones.
    """
    space = _message("Space").FromString(path.read_bytes())
    seconds: dict[tuple[int, str], float] = {}
    runs: dict[tuple[int, str], set[int]] = {}
    spans: list[tuple[int, int]] = []
    for began, ended, module, key, run in _moments(space.planes):
        spans.append((began, ended))
        if module == graph:
            seconds[key] = seconds.get(key, 0.0) + (ended - began) * 1e-12
            runs.setdefault(key, set()).add(run)
    texts = _Programs(space.planes, graph)
    sources = {program: texts.sources(program, {op for p, op in seconds if p == program}) for program, _ in seconds}
    if known is not None:
        sources = {program: known.checked(ops) for program, ops in sources.items()}
    operations = [
        Operation(program, sources[program].get(op, Source(op=op)), time, len(runs[program, op]))
        for (program, op), time in seconds.items()
    ]
    return Trace(operations, _union(spans) * 1e-12)


def _message(name: str) -> Any:
    """Return a message class of XLA's. The first call loads protobuf and builds the classes."""
    return importlib.import_module("sporax._src.transform.debug.trace_messages").CLASSES[name]


def _moments(planes: Iterable[Any]) -> Iterator[tuple[int, int, str, tuple[int, str], int]]:
    """Yield (begin, end, module, (program, operation), run) of each operation that ran, in picoseconds."""
    for plane in planes:
        names = {entry.key: entry.value.name for entry in plane.events}
        kinds = {entry.key: entry.value.name for entry in plane.stats}
        if not {"hlo_op", "hlo_module"} <= set(kinds.values()):
            continue
        for line in plane.lines:
            for moment in line.events:
                if names.get(moment.id, "").startswith("$"):  # a call of Python
                    continue
                stats = {kinds.get(stat.id): stat for stat in moment.stats}
                if "hlo_op" not in stats:
                    continue
                text = lambda kind, stats=stats, kinds=kinds: stats[kind].str or kinds.get(stats[kind].ref, "")
                number = lambda kind, stats=stats: (stats[kind].uint or stats[kind].int) if kind in stats else 0
                began = line.began_ns * 1000 + moment.offset_ps
                key = number("program_id"), text("hlo_op")
                yield began, began + moment.duration_ps, text("hlo_module"), key, number("run_id")


class _Programs:
    """The copies of the compiled programs in the trace, which contain the source of each operation.

    Args:
        planes: The planes of the trace.
        graph: The name of their module.
    """

    def __init__(self, planes: Iterable[Any], graph: str) -> None:
        self._modules: dict[int, Any] = {}
        for plane in planes:
            for entry in plane.events if plane.name == "/host:metadata" else ():
                number = re.fullmatch(rf"{re.escape(graph)}\((\d+)\)", entry.value.name)
                for stat in entry.value.stats if number else ():
                    if stat.bytes:
                        self._modules[int(number[1])] = _message("Hlo").FromString(stat.bytes).module  # type: ignore[index]

    def sources(self, program: int, ops: set[str]) -> dict[str, Source]:
        """Return the sources of a program's operations; the CPU numbers programs differently from the copies."""
        shared = lambda number: (
            len(ops & {i.name for i in _instructions(self._modules[number])}),
            -abs(number - program),
        )
        number = max(self._modules, key=shared, default=None)
        if number is None:
            return {}
        module = self._modules[number]
        return {i.name: _source(i.metadata, module.frames) for i in _instructions(module) if i.name in ops}


def _instructions(module: Any) -> Iterator[Any]:
    for computation in module.computations:
        yield from computation.instructions


def _source(metadata: Any, frames: object) -> Source:
    """Return the source of an operation; without an operator, `op` is XLA's name."""
    steps = [_OF_A_TRANSFORM.sub(r"\1", step) for step in metadata.op_name.split("/") if step]
    operators = [i for i, step in enumerate(steps) if re.fullmatch(r"\w+\.\w+", step)]
    op = steps[operators[-1]].replace("._", ".") if operators else steps[-1] if steps else ""
    cells = [
        step.partition(STAGE)[0] for step in steps[: operators[0] if operators else -1] if not _OF_XLA.fullmatch(step)
    ]
    transforms = ("transpose",) if _GRADIENT in metadata.op_name else ()
    return Source(".".join(cells), op, user_line(_calls(metadata, frames)), transforms)


def _calls(metadata: Any, frames: Any) -> list[tuple[str, int]]:
    """Return the calls that made an operation, innermost first, as (file, line)."""
    calls, number = [], metadata.frame
    while number:
        frame = frames.frames[number - 1]
        location = frames.locations[frame.location - 1]
        calls.append((frames.files[location.file - 1], location.line))
        number = frame.parent if frame.parent != number else 0
    return calls or ([(metadata.file, metadata.line)] if metadata.file else [])


def _union(spans: list[tuple[int, int]]) -> int:
    """Return the length of the union of spans."""
    covered = end = 0
    for begin, stop in sorted(spans):
        covered += max(stop - max(begin, end), 0)
        end = max(end, stop)
    return covered
