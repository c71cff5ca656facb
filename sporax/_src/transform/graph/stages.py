"""The stages of a graph as text: captured, gradient, lowered, compiled; and the files that `save_graphs` asks for."""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path
from typing import Any, NamedTuple

from sporax._src.base import config
from sporax._src.base.errors import shown
from sporax._src.processes.world import is_joined, world
from sporax._src.transform.graph.provenance import source_now
from sporax._src.transform.graph.text import Listing, arguments, drawing, operations, text_of

_numbers = itertools.count()


class Cost(NamedTuple):
    """XLA's estimate of the cost of a compiled graph.

    Attributes:
        flops: Floating-point operations of one run.
        bytes_accessed: Bytes read and written by one run.
        argument_bytes, output_bytes: The size of inputs and results.
        reused_bytes: The bytes of results that reuse the memory of inputs.
        temporary_bytes: Memory for intermediate values.
        code_bytes: The size of the program.
    """

    flops: float
    bytes_accessed: float
    argument_bytes: int
    output_bytes: int
    reused_bytes: int
    temporary_bytes: int
    code_bytes: int

    def __str__(self) -> str:
        return "\n".join(f"{name.replace('_', ' '):<16}{value:>16,.0f}" for name, value in self._asdict().items())


class Stages:
    """The text of a graph at each stage; the base of `Graph`. `str` shows the captured graph.

    Examples:
        >>> import sporax as ms
        >>> graph = ms.jit(lambda x: ms.ops.sin(x)).graph(ms.Tensor([1.0]))
        >>> print(graph.captured)  # doctest: +ELLIPSIS
        graph <lambda>: 1 inputs, 1 operations, 1 results
        <BLANKLINE>
        x: float32[1]
        <BLANKLINE>
        %0: float32[1] = sin(x: float32[1]) ...
        return %0: float32[1]
        >>> "stablehlo.sine" in graph.stablehlo
        True
        >>> graph.gradient is None
        True
    """

    name: str
    jaxpr: Any

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs."""
        raise NotImplementedError

    def lower(self) -> Any:
        """Return JAX's `Lowered`."""
        raise NotImplementedError

    @functools.cached_property
    def lowered(self) -> Any:
        """JAX's `Lowered` for the graph."""
        return self.lower()

    @functools.cached_property
    def compiled(self) -> Any:
        """JAX's `Compiled` for the graph."""
        return self.lowered.compile()

    @property
    def captured(self) -> str:
        """The operations that tracing found, gradients included, with the line and the Cell of each."""
        inputs = [f"{label}: {text_of(var.aval)}" for var, label in self._used().items()]
        count = sum(1 for _ in operations(self.jaxpr.jaxpr))
        head = f"graph {self.name}: {len(inputs)} inputs, {count} operations, {len(self.jaxpr.out_avals)} results"
        return "\n".join([head, "", *inputs, "", *Listing(self.jaxpr.jaxpr, self._input_labels()).lines])

    @property
    def gradient(self) -> str | None:
        """The operations that a gradient added, numbered as in `captured`; None if there is no gradient."""
        marks = [source.transforms for _, source, _ in operations(self.jaxpr.jaxpr)]
        mark = next((m for m in ("transpose", "jvp") if any(m in transforms for transforms in marks)), None)
        if mark is None:
            return None
        way = "backward: cotangents" if mark == "transpose" else "forward: values and tangents"
        count = sum(mark in transforms for transforms in marks)
        head = f"gradient in {self.name}, {way}: {count} of {len(marks)} operations"
        return "\n".join(
            [head, "", *Listing(self.jaxpr.jaxpr, self._input_labels(), lambda source: mark in source.transforms).lines]
        )

    @property
    def stablehlo(self) -> str:
        """The graph as input of XLA."""
        return self.lowered.as_text()

    @property
    def hlo(self) -> str:
        """The graph as XLA optimised it for the device."""
        return self.compiled.as_text()

    @property
    def cost(self) -> Cost:
        """The computation and memory that the compiled graph needs."""
        counted = self.compiled.cost_analysis() or {}
        memory = self.compiled.memory_analysis()

        def size(part: str) -> int:
            return getattr(memory, f"{part}_size_in_bytes", 0)

        return Cost(
            flops=counted.get("flops", 0.0),
            bytes_accessed=counted.get("bytes accessed", 0.0),
            argument_bytes=size("argument"),
            output_bytes=size("output"),
            reused_bytes=size("alias"),
            temporary_bytes=size("temp"),
            code_bytes=size("generated_code"),
        )

    def drawing(self) -> str:
        """Return the graph as a drawing for Graphviz."""
        return drawing(self.jaxpr.jaxpr, self._used(), self.name)

    def __str__(self) -> str:
        return self.captured

    def _used(self) -> dict[Any, str]:
        """Return the inputs that the graph reads; unused inputs, such as random state, are not shown."""
        atoms = set(arguments([*self.jaxpr.jaxpr.outvars, *(v for eqn in self.jaxpr.jaxpr.eqns for v in eqn.invars)]))
        return {var: label for var, label in self._input_labels().items() if var in atoms}

    def _input_labels(self) -> dict[Any, str]:
        constants = [f"constant {i}" for i in range(len(self.jaxpr.jaxpr.constvars))]
        variables = [*self.jaxpr.jaxpr.constvars, *self.jaxpr.jaxpr.invars]
        return dict(zip(variables, [*constants, *self.inputs], strict=True))


def save(graph: Stages) -> None:
    """Write the stages of a graph to the files that `save_graphs` asks for."""
    level = config.get_context("save_graphs")
    if not level:
        return
    folder = Path(config.get_context("save_graphs_path"))
    if is_joined():
        folder = folder / f"rank_{world().rank}"
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{next(_numbers):02d}_{re.sub(r'[^0-9A-Za-z_.-]+', '_', graph.name).strip('_') or 'graph'}"
    head = f"# {graph.name}, called at {source_now().line}\n"
    texts = {
        "captured.txt": head + graph.captured,
        "gradient.txt": graph.gradient and head + graph.gradient,
        "stablehlo.txt": graph.stablehlo,
        "hlo_optimised.txt": graph.hlo,
        "cost.txt": head + str(graph.cost),
        "captured.dot": graph.drawing() if level >= 3 else None,
    }
    for ending, text in texts.items():
        if text is not None:
            lines = [
                shown(line, None) for line in text.rstrip("\n").split("\n")
            ]  # names may contain control sequences of terminals
            (folder / f"{stem}_{ending}").write_text("\n".join(lines) + "\n")
