"""Runs of a graph by NumPy, which computes any shapes without compilation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sporax._src.engine.any_size import Shapes, Traced, sizes_of
from sporax._src.engine.numpy_programs import NotInNumPy, Program
from sporax._src.transform.graph.graph_plan import GraphPlan

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr

_MOST_PROGRAMS = 128  # sizes for which programs, of about 1 MB, are kept


class InNumpy:
    """The compiled function of a graph, computed by NumPy: `(donated states, retained states, arguments) -> outputs`.

    Args:
        jaxpr, plan: The graph and its plan.
        traced: Its trace with variables for some sizes; None if it has none.
        pattern: The shapes of its arguments, with the names of the variables.

    Raises:
        NotInNumPy: If NumPy cannot compute it, or it has no variables and is too large.
    """

    def __init__(self, jaxpr: ClosedJaxpr, plan: GraphPlan, traced: Traced | None = None, pattern: Shapes = ()) -> None:
        self._plan, self._traced, self._pattern = plan, traced, pattern
        self._program = Program(jaxpr) if traced is None else None
        self._programs: dict[Shapes, Program] = {}

    def __call__(self, donated: Sequence[Any], retained: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        program = self._program or self.program_for(tuple([np.shape(a) for a in arrays]))
        outs = program.on_device([*self._plan.values(donated, retained), *arrays])
        return [outs[i] for i in self._plan.output_order]

    def most_runs(self, usual: int) -> int:
        """Return after how many runs compilation pays off, for a graph without variables (see `Program`)."""
        return usual if self._program is None else self._program.most_runs(usual)

    def program_for(self, shapes: Shapes) -> Program:
        """Return the program for shapes of the arguments.

        Raises:
            NotInNumPy: If the trace is not valid for them, or the arrays are too large for NumPy.
        """
        program = self._programs.get(shapes)
        if program is None:
            sizes = None if self._traced is None else sizes_of(self._pattern, shapes)
            if sizes is None or self._traced is None:
                raise NotInNumPy("sizes")
            if len(self._programs) >= _MOST_PROGRAMS:
                del self._programs[next(iter(self._programs))]
            program = self._programs[shapes] = self._traced.at(sizes)
        return program
