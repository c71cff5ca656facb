"""`mindspore.onnx.export`: a network as an ONNX file, whose inputs, outputs and open axes the program names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.checkpoint.export import captured, in_inference_mode, with_suffix
from sporax._src.checkpoint.formats import onnx_file
from sporax._src.core.parameter import Parameter
from sporax._src.core.symbol import Symbol
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell


def export_onnx(
    net: Cell,
    *inputs: object,
    file_name: str | os.PathLike[str],
    input_names: list[str] | None = None,
    output_names: list[str] | None = None,
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: dict[str, dict[int, str]] | None = None,
) -> None:
    """Save a Cell as an ONNX file, in inference mode, through the package `jax2onnx`.

    Args:
        net: The Cell.
        *inputs: Tensors of the shapes and dtypes that the graph will take; other values become part of the graph.
        file_name: The file; `.onnx` is appended if it is missing.
        input_names: Names of the first inputs, in place of those of the arguments of `construct`.
        output_names: Names of the first outputs.
        export_params: Whether the file has the Parameters; if not, they are further inputs.
        keep_initializers_as_inputs: Whether Parameters are further inputs that need not be given.
        dynamic_axes: Of inputs, by name, the axes that may have any size, and their names.

    Raises:
        ValueError: If `net` is no Cell, names are no list of different strings, or an axis does not exist.
        RuntimeError: If the Cell cannot be compiled as one graph, needs a size that is open, or cannot be written.

    Examples:
        >>> import sporax as ms
        >>> x = ms.Tensor([[1.0, 2.0]])
        >>> ms.onnx.export(ms.nn.Dense(2, 1), x, file_name="net", dynamic_axes={"x": {0: "batch"}})  # doctest: +SKIP
    """
    if not isinstance(net, Cell):
        raise ValueError(f"onnx.export: net must be a Cell, got {describe(net)}.")
    for name, value in (("input_names", input_names), ("output_names", output_names)):
        if value is not None and not (isinstance(value, list) and all(isinstance(n, str) for n in value)):
            raise ValueError(f"onnx.export: {name} must be a list of strings, got {value!r}.")
        if value is not None and len(set(value)) < len(value):
            raise ValueError(f"onnx.export: {name} must differ from each other, got {value!r}.")
    by_name = dynamic_axes or {}
    if not isinstance(by_name, dict) or not all(isinstance(axes, dict) for axes in by_name.values()):
        raise ValueError(f"onnx.export: dynamic_axes must be a dict of dicts, got {dynamic_axes!r}.")
    path, names = with_suffix(file_name, ".onnx"), input_names or []

    def write() -> None:
        arguments = captured(net, inputs).inputs[-count:] if (count := len(_tensors(inputs))) else []
        known = [*names[:count], *arguments[len(names) :]]
        axes = [by_name.get(name, {}) for name in known]
        opened = _opened(inputs, axes)
        _write(net, opened, path, known, axes, output_names or [], (export_params, keep_initializers_as_inputs))

    in_inference_mode(net, write)


def _tensors(inputs: Sequence[object]) -> list[Tensor]:
    return [x for x in inputs if isinstance(x, Tensor)]


def _opened(inputs: Sequence[object], axes: Sequence[Mapping[int, str]]) -> list[object]:
    """Return the inputs, with axes of Tensors open: those of one name have one size.

    Raises:
        ValueError: If a Tensor has no such axis, or the name of one is no string.
    """
    symbols: dict[str, Symbol] = {}
    left = iter(axes)

    def opened(x: object) -> object:
        named = next(left) if isinstance(x, Tensor) else None
        if not isinstance(x, Tensor) or not named:
            return x
        sizes: list[Any] = list(x.shape)
        for axis, name in named.items():
            if not isinstance(name, str) or axis not in range(x.ndim):
                raise ValueError(
                    f"onnx.export: dynamic_axes: {describe(x)} has no axis {axis!r}, or {name!r} is no name."
                )
            sizes[axis] = symbols.setdefault(name, Symbol())
        return Tensor(shape=sizes, dtype=x.dtype)

    return [opened(x) for x in inputs]


def _write(
    net: Cell,
    inputs: Sequence[object],
    path: Path,
    names: Sequence[str],
    axes: Sequence[Mapping[int, str]],
    outputs: Sequence[str],
    parameters: tuple[bool, bool],
) -> None:
    """Write the file.

    Args:
        net: The Cell.
        inputs: Its inputs, some with open axes.
        path: The file.
        names: The names of the Tensors among them.
        axes: The names of their open axes.
        outputs: The names of the first outputs.
        parameters: Whether the file has the Parameters, and whether they are inputs all the same.
    """
    graph = captured(net, inputs)
    states = [*graph.donated, *graph.retained]
    values = [np.asarray(s.concrete()) for s in states]
    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in graph.jaxpr.in_avals[len(graph.states) :]]
    count, results = len(avals), len(graph.jaxpr.out_avals) - len(graph.written)
    inside, given = parameters
    if given or not inside:
        places = [i for i, s in enumerate(states) if isinstance(s, Parameter)]
        avals += [jax.ShapeDtypeStruct(values[i].shape, values[i].dtype) for i in places]
        names = [*names, *[str(getattr(states[i], "name", "")) for i in places]]
    else:
        places = []

    def fn(*arrays: object) -> list[Any]:
        mine: list[Any] = list(values)
        for i, array in zip(places, arrays[count:], strict=True):
            mine[i] = array
        return graph.call([*mine, *arrays[:count]])[:results]

    onnx_file.write(path, fn, avals, graph.name)
    kept = dict(zip(names[count:], [values[i] for i in places], strict=True)) if inside else {}
    onnx_file.rename(path, names, outputs, axes, kept)
