"""cell_values: the inputs and outputs of each Cell of a network, to inspect or to compare with another run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.atomic import replacing
from sporax._src.base.errors import describe
from sporax._src.core import tree
from sporax._src.core.execution import current, running
from sporax._src.core.tensor import is_tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.transform.functional import Traced, functional, split
from sporax._src.transform.graph_entry import find_states


@dataclass(frozen=True)
class CellCall:
    """One recorded call of a Cell.

    Args:
        name: The dotted name of the Cell, `""` for the network itself; for a Cell that is not an attribute, its class.
        kind: The class.
        inputs, outputs: The Tensors that it received and returned, in order, as arrays of NumPy.
    """

    name: str
    kind: str
    inputs: tuple[np.ndarray, ...]
    outputs: tuple[np.ndarray, ...]


def cell_values(
    net: Cell, *inputs: object, folder: str | os.PathLike[str] | None = None, **keywords: object
) -> list[CellCall]:
    """Run a network and return the inputs and outputs of each call of a Cell, in the order in which the calls ended.

    The network runs in its current mode, training or inference, one operation at a time. Its Parameters, flags and
    random state do not change.

    Args:
        net: The network.
        *inputs: The arguments of the call.
        folder: A folder to which each call is also written, as `0003_backbone.conv1.npz` with the arrays `input_0`,
            ..., `output_0`, ...
        **keywords: Keyword arguments of the call.

    Raises:
        TypeError: If `net` is not a Cell.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.SequentialCell(ms.nn.ReLU(), ms.nn.Flatten())
        >>> for call in ms.cell_values(net, ms.Tensor([[-1.0, 2.0]])):
        ...     print(call.name or "net", call.inputs[0].tolist(), call.outputs[0].tolist())
        0 [[-1.0, 2.0]] [[0.0, 2.0]]
        1 [[0.0, 2.0]] [[0.0, 2.0]]
        net [[-1.0, 2.0]] [[0.0, 2.0]]
    """
    if not isinstance(net, Cell):
        raise TypeError(f"cell_values: net must be a Cell, got {describe(net)}.")
    calls: list[CellCall] = []
    names = {id(cell): name for name, cell in net.cells_and_names()}
    top = f"{type(net).__name__}."

    def note(cell: Cell, given: tuple[Any, ...], result: object) -> None:
        path = current.get().cells.path.removeprefix(top)
        calls.append(CellCall(names.get(id(cell), path), type(cell).__name__, _arrays(given), _arrays(result)))

    with running(cells=replace(current.get().cells, observer=note)):
        run_apart(net, net, inputs, keywords)
    if folder is not None:
        _write(Path(folder), calls)
    return calls


def run_apart(net: Cell, run: Callable[..., Any], inputs: Sequence[Any], keywords: dict[str, Any]) -> None:
    """Run a network on values, one operation at a time; its writes are discarded.

    Args:
        net: The network.
        run: The function that runs it.
        inputs, keywords: The arguments of `run`.
    """
    tensors, structure = split((tuple(inputs), keywords))
    states = find_states(net, inputs)
    pure = functional(run, states, structure, Traced())
    pure([state.concrete() for state in states], [t._data for t in tensors])


def _arrays(value: object) -> tuple[np.ndarray, ...]:
    found: list[Any] = []
    tree.flatten(value, is_tensor, found)
    return tuple(t.asnumpy() for t in found)


def _write(folder: Path, calls: Sequence[CellCall]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, call in enumerate(calls):
        name = re.sub(r"[^\w.-]", "_", call.name) or call.kind
        arrays = {f"input_{i}": a for i, a in enumerate(call.inputs)} | {
            f"output_{i}": a for i, a in enumerate(call.outputs)
        }
        with replacing(folder / f"{number:04d}_{name}.npz") as temporary, open(temporary, "wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
