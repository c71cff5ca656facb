"""`mindspore.onnx.export`: a network as an ONNX file, whose inputs, outputs and open axes the program names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.checkpoint.export import captured, in_inference_mode, with_suffix, write_onnx
from sporax._src.checkpoint.formats import onnx_file
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
        given = write_onnx(net, _opened(inputs, axes), path, keep_initializers_as_inputs or not export_params)
        values = {p.name: np.asarray(p.concrete()) for p in given} if export_params else {}
        onnx_file.rename(path, [*known, *(p.name for p in given)], output_names or [], axes, values)

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
