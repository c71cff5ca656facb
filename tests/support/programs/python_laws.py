"""What a program means to Python it means in a graph: the same values of the same types, or the same error."""

from __future__ import annotations

import linecache
import math
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from programs.laws import Difference, cause, reductions
from programs.python_writer import PythonWriter
from sporax import ops
from sporax._src.base import config
from sporax._src.base.errors import CompileFallback
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.transform.grad import grad
from sporax._src.transform.jit import jit

BEFORE = [0.5, 1.0, -1.0]  # the value of the Parameter before each call
INPUTS = (
    ([1.0, -0.5, 2.0], 1.5, 1),
    ([-1.0, -2.5, 0.5], -2.0, 3),
    ([0.0, 0.5, 0.0], 0.0, 0),
    ([3.0, 4.0, 1.5], 7.0, 1),
)


class PythonProgram(NamedTuple):
    """A program, and whether it runs in a Cell rather than under `jit`."""

    seed: int
    source: str
    in_cell: bool


class Found(NamedTuple):
    """Why a program fell back, and the classes of what its calls came to."""

    fallbacks: dict[str, int]
    outcomes: list[str]


def _load(program: PythonProgram) -> dict[str, Any]:
    source, name = program.source, f"python_{program.seed}"
    filename = f"{name}.py"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    names: dict[str, Any] = {"ops": ops, "grad": grad, "w": Parameter(Tensor(np.zeros(3, np.float32)), name="w")}
    names["__name__"] = name
    exec(compile(source, filename, "exec"), names)
    return names


def _result(call: Callable[..., Any], given: tuple[Any, ...], w: Parameter) -> tuple[Any, list[float]]:
    x, y, n = given
    w.set_data(Tensor(np.asarray(BEFORE, np.float32)))
    try:
        out = call(Tensor(np.asarray(x, np.float32)), Tensor(np.asarray(y, np.float32)), n)
    except Exception as error:
        return error, w.asnumpy().tolist()
    return out, w.asnumpy().tolist()


def same(got: Any, want: Any) -> bool:
    """Tell whether two results are equal, with their types; errors, if their classes and texts are."""
    if type(got) is not type(want):
        return False
    if isinstance(want, Exception):
        return str(got) == str(want)
    if isinstance(want, (tuple, list)):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, dict):
        return list(got) == list(want) and all(same(got[k], want[k]) for k in want)
    if isinstance(want, Tensor):
        a, b = got.asnumpy(), want.asnumpy()
        return a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)
    if isinstance(want, float):
        return math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(got) and math.isnan(want))
    return got == want


def _as_graph(names: dict[str, Any], in_cell: bool) -> Callable[..., Any]:
    if not in_cell:
        return jit(names["program"])

    class Net(Cell):
        def construct(self, x: Any, y: Any, n: Any) -> Any:
            return names["program"](x, y, n)

    return Net()


def check_python(program: PythonProgram) -> Found:
    """Run a program as Python does and as a graph.

    Raises:
        Difference: If a result, an error or the Parameter's value differs; a call of a graph that raises
            must not have changed it.
    """
    names, mode, found = _load(program), config.mode(), Found({}, [])
    w, graph = names["w"], _as_graph(names, program.in_cell)
    for given in INPUTS:
        config.set_context(mode=config.PYNATIVE_MODE)
        want, after = _result(names["program"], given, w)
        config.set_context(mode=config.GRAPH_MODE)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            got, now = _result(graph, given, w)
        config.set_context(mode=mode)
        found.outcomes.append(type(want).__name__)
        found.fallbacks.update({cause(str(s.message)): 1 for s in seen if issubclass(s.category, CompileFallback)})
        if not same(got, want):
            raise Difference(
                f"{type(want).__name__} became {type(got).__name__}", f"{given}: {got!r}, Python: {want!r}"
            )
        right = [BEFORE if isinstance(want, Exception) else after, *[after] * bool(found.fallbacks)]
        if not any(np.allclose(now, value, rtol=1e-5, atol=1e-6) for value in right):
            raise Difference("the Parameter", f"{given}: {now}, Python: {after}")
    return found


def shrink_python(program: PythonProgram, kind: str, seconds: float) -> PythonProgram:
    """Return the program with every statement and operand taken away that the difference does without."""
    end, smaller = time.monotonic() + seconds, True
    while smaller and time.monotonic() < end:
        smaller = False
        for source in reductions(program.source):
            candidate = program._replace(source=source)
            if time.monotonic() > end:
                break
            try:
                check_python(candidate)
            except Difference as difference:
                if difference.kind == kind:
                    program, smaller = candidate, True
                    break
            except SyntaxError:
                continue
    return program


def python_program(seed: int, size: int = 10) -> PythonProgram:
    """Return the program of a seed; one in three runs in a Cell."""
    return PythonProgram(seed, PythonWriter(seed, size).source(), seed % 3 == 0)
