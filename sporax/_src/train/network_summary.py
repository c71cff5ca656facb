"""summary: the layers of a network, with their outputs, operations, Parameters and memory."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import UNTRACEABLE
from sporax._src.core import tree
from sporax._src.core.execution import current, running
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.train.cell_values import run_apart
from sporax._src.transform.controlflow.merge import NeedsValue
from sporax._src.transform.functional import split
from sporax._src.transform.graph import flops
from sporax._src.transform.jit import Jit

_COLUMNS = ("layer", "class", "output", "Parameters", "trainable", "FLOPs", "memory")


@dataclass(frozen=True)
class LayerRow:
    """One layer of a `NetworkSummary`; its numbers include the layers below it.

    Args:
        name: The dotted name, `""` for the network itself.
        kind: The class.
        calls: How often it was called.
        outputs: The shapes of the results of its last call, in order.
        parameters, trainable: The number of elements of its Parameters, and of the trainable ones; each Parameter
            counts once.
        flops: Floating-point operations of all its calls; None if they cannot be counted.
        memory: Bytes of its Parameters, and of the results of its innermost layers.
    """

    name: str
    kind: str
    calls: int
    outputs: tuple[tuple[int, ...], ...]
    parameters: int
    trainable: int
    flops: int | None
    memory: int

    @property
    def depth(self) -> int:
        """The number of layers that contain it."""
        return self.name.count(".") + 1 if self.name else 0

    def cells(self) -> tuple[str, ...]:
        """Return the texts of its line in the table."""
        shapes = ", ".join(map(str, self.outputs)) if self.calls else "not called"
        times = f" ×{self.calls}" if self.calls > 1 else ""
        counted = "?" if self.flops is None else short(self.flops)
        return (self.name or "(network)", self.kind + times, shapes, f"{self.parameters:,}", f"{self.trainable:,}", counted,
                size(self.memory))  # fmt: skip


@dataclass(frozen=True)
class NetworkSummary:
    """The result of `sporax.summary`; `print` and notebooks show it as a table.

    Args:
        rows: A `LayerRow` for the network and each layer below it, in the order in which they are attributes, then
            called layers that are not attributes.
        input_bytes: The size of the inputs.
    """

    rows: tuple[LayerRow, ...]
    input_bytes: int

    @property
    def parameters(self) -> int:
        """The number of elements of the Parameters; each Parameter counts once."""
        return self.rows[0].parameters

    @property
    def trainable(self) -> int:
        """The number of trainable elements."""
        return self.rows[0].trainable

    @property
    def flops(self) -> int | None:
        """Floating-point operations of a call: two for each multiplication whose product is added, one for each other number."""
        return self.rows[0].flops

    @property
    def memory(self) -> int:
        """Bytes of the inputs, the Parameters, and the results of the innermost layers."""
        return self.rows[0].memory + self.input_bytes

    def totals(self) -> str:
        """Return the totals as a sentence."""
        counted = "an unknown number of" if self.flops is None else short(self.flops)
        return (
            f"{self.parameters:,} numbers in Parameters ({self.trainable:,} train), {counted} FLOPs, {size(self.memory)} for "
            "inputs, Parameters and results of layers"
        )

    def __rich__(self) -> Any:
        from rich.table import Table

        table = Table(caption=self.totals(), caption_justify="left")
        for column in _COLUMNS:
            table.add_column(column, justify="left" if column in _COLUMNS[:3] else "right", overflow="fold")
        for row in self.rows:
            name, *rest = row.cells()
            table.add_row("  " * row.depth + name, *rest)
        return table

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        Console(file=text, width=140, color_system=None).print(self)
        return text.getvalue().rstrip()

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{column}</th>" for column in _COLUMNS)
        lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row.cells()) for row in self.rows]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(self.totals())}</p>"


def short(number: float) -> str:
    """Return a number with three digits and a unit: `1.82 G`."""
    for unit in ("", " k", " M", " G", " T"):
        if number < 1000 or unit == " T":
            return f"{number:,.0f}" if not unit else f"{number:.3g}{unit}"
        number /= 1000
    raise AssertionError("the last unit has no limit")


def size(number: float) -> str:
    """Return a number of bytes with a unit: `44.7 MB`."""
    return f"{short(number)}B" if number >= 1000 else f"{number:.0f} B"


class _Calls:
    """The results of the calls of Cells, in the order in which the calls ended."""

    def __init__(self, net: Cell) -> None:
        self.net = net
        self.results: list[tuple[Cell, str, tuple[Tensor, ...]]] = []

    def __call__(self, cell: Cell, inputs: tuple[Any, ...], result: object) -> None:
        found: list[Tensor] = []
        tree.flatten(result, is_tensor, found)
        self.results.append((cell, current.get().cells.path, tuple(found)))

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the network; a repeated trace starts again from zero."""
        self.results.clear()
        return self.net(*args, **kwargs)


def summary(net: Cell, *inputs: object, **keywords: object) -> NetworkSummary:
    """Return a summary of a network: its layers, their results, Parameters, operations and memory.

    The network is traced on the inputs in its current mode, training or inference. Nothing is run, and its Parameters,
    flags and random state do not change. A network that needs the values of Tensors is run without changing its
    Parameters, and its operations are not counted.

    Args:
        net: The network.
        *inputs: The arguments of the call.
        **keywords: Keyword arguments of the call.

    Raises:
        TypeError: If `net` is not a Cell.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(4, 8), ms.nn.ReLU(), ms.nn.Dense(8, 2))
        >>> found = ms.summary(net, ms.Tensor(np.ones((3, 4), np.float32)))
        >>> found.parameters, found.flops
        (58, 342)
        >>> [(row.name, row.outputs) for row in found.rows[1:]]
        [('0', ((3, 8),)), ('1', ((3, 8),)), ('2', ((3, 2),))]
    """
    if not isinstance(net, Cell):
        raise TypeError(f"summary: net must be a Cell, got {describe(net)}.")
    calls = _Calls(net)
    with running(cells=replace(current.get().cells, observer=calls)):
        counted = _counted(calls, inputs, keywords)
    tensors = split((inputs, keywords))[0]
    return NetworkSummary(tuple(_rows(calls, counted)), sum(_bytes(t) for t in tensors))


def _counted(calls: _Calls, inputs: Sequence[Any], keywords: dict[str, Any]) -> Counter[str] | None:
    """Trace or run the network, and return its operations by path, if they can be counted."""
    try:
        return flops.count(Jit(calls.run).graph(*inputs, **keywords).jaxpr)
    except (*UNTRACEABLE, NeedsValue):
        run_apart(calls.net, calls.run, inputs, keywords)
        return None


def _rows(calls: _Calls, counted: Counter[str] | None) -> Iterator[LayerRow]:
    known = {id(cell): name for name, cell in calls.net.cells_and_names()}
    others = {id(cell): (cell, path) for cell, path, _ in calls.results if id(cell) not in known}
    top = type(calls.net).__name__
    for name, cell in calls.net.cells_and_names():
        yield _row(name, cell, calls, counted)
    for cell, path in others.values():
        yield _row(path.removeprefix(f"{top}."), cell, calls, counted)


def _row(name: str, cell: Cell, calls: _Calls, counted: Counter[str] | None) -> LayerRow:
    own = [(path, results) for called, path, results in calls.results if called is cell]
    paths = {path for path, _ in own}
    inside = lambda path: any(path == p or path.startswith(f"{p}.") for p in paths)
    innermost = [r for c, path, results in calls.results if not c.name_cells() and inside(path) for r in results]
    parameters = list({id(p): p for p in cell.get_parameters()}.values())
    return LayerRow(
        name=name,
        kind=type(cell).__name__,
        calls=len(own),
        outputs=tuple(tuple(t.shape) for t in own[-1][1]) if own else (),
        parameters=sum(p.size for p in parameters),
        trainable=sum(p.size for p in parameters if p.requires_grad),
        flops=None if counted is None else sum(n for path, n in counted.items() if inside(path)),
        memory=sum(map(_bytes, (*parameters, *innermost))),
    )


def _bytes(tensor: Tensor | Parameter) -> int:
    return tensor.size * tensor.itemsize
