"""How Tensors print: MindSpore's `str` and `repr`, as recorded in the goldens."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import is_tracer
from sporax._src.core.dtype import Type

_LONG = 1000  # larger Tensors show the first and last three of every axis
_EDGE = 3
_PART = 29  # a larger part of a sparse Tensor is not shown
_PER_LINE = {"b": 12, "f": 12, "i": 24, "u": 24}  # elements after which the line of a 1-D Tensor is broken


def tensor_str(tensor: Any) -> str:
    """Return what `print(tensor)` shows; a traced Tensor requests its value."""
    array = tensor.asnumpy()
    if not array.size:
        return "[]"
    if array.dtype.kind == "V":  # bfloat16, float8: NumPy knows no way to print them
        wide = array.astype(np.float32)
        return np.array2string(wide, formatter={"float_kind": lambda v: f"{v:f}"}) if array.ndim else f"{float(wide):f}"
    return (
        np.array2string(array, threshold=_LONG)
        if array.ndim
        else str(array.item() if array.dtype.kind == "S" else array)
    )


def tensor_repr(tensor: Any) -> str:
    """Return `Tensor(shape=[2], dtype=Int64, value= [1, 2])`."""
    if is_tracer(tensor._data):
        return f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype}, traced)"
    array = tensor.asnumpy()
    head = f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype}, value="
    return f"{head}{' ' if array.ndim < 2 else chr(10)}{_elements(array, tensor._of_numpy)})"


def part_repr(tensor: Any) -> str:
    """Return `Tensor(shape=[2], dtype=Int64, value=[1 2])`, as sparse Tensors print their parts; long ones are abbreviated."""
    if is_tracer(tensor._data):
        return tensor_repr(tensor)
    array = tensor.asnumpy()
    if array.size > _PART:
        return f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype}, value=[...])"
    return _without_commas(tensor, array)


def _without_commas(tensor: Any, array: np.ndarray) -> str:
    text = _elements(array, False).replace(",", "") if array.size else ""
    line = "\n" if array.ndim > 1 else ""
    return f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype}, value={line}{text})"


# --- what a graph prints ----------------------------------------------------------------------------------------------


def in_lines(value: Any) -> bool:
    """Return whether MindSpore prints a value from within the graph, on separate lines."""
    if isinstance(value, dict):
        return all(map(in_lines, value.values()))
    if type(value) in (tuple, list):
        return all(map(in_lines, value))
    return value is None or isinstance(value, (bool, int, float, str, Type)) or hasattr(value, "_data")


def lines(value: object) -> Iterator[str]:
    """Return the lines that a graph prints for a value: one for each Tensor, number and string, one for a tuple of numbers."""
    items = list(value.values()) if isinstance(value, dict) else value
    if isinstance(items, (tuple, list)) and items and all(isinstance(v, (int, float)) for v in items):
        yield f"({', '.join(map(_number, items))})"
    else:
        yield from _leaves(value)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, (dict, tuple, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    elif hasattr(value, "_data"):
        array = value.asnumpy()
        yield _without_commas(value, array) if array.ndim else _number(array.item())
    else:
        yield _number(value)


def _number(value: object) -> str:
    if isinstance(value, complex):
        return f"({value.real:g},{value.imag:g})"
    return f"{value:g}" if isinstance(value, float) else str(int(value) if isinstance(value, bool) else value)


def _elements(array: np.ndarray, of_numpy: bool) -> str:
    if (array.dtype.kind in "US" and array.ndim) or (of_numpy and array.dtype.kind != "V"):
        return np.array2string(array, separator=", ", threshold=_LONG) if array.size else "[]"
    if array.ndim == 0:
        return _scalar(array[()])
    summary = array.ndim > 1 or array.size > _LONG
    return _nested(array, _element(array, summary), summary, 0) if array.size else ""


def _scalar(value: Any) -> str:
    if isinstance(value, (np.str_, np.bytes_)):
        return repr(value.item())
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, np.complexfloating):
        return f"{value.real:g}{value.imag:+g}j"
    return str(value) if isinstance(value, np.integer) else f"{float(value):g}"


def _element(array: np.ndarray, summary: bool) -> Callable[[Any], str]:
    if array.dtype.kind == "b":
        return lambda v: f"{v!s:>5}"
    if array.dtype.kind == "f":
        digits, width = (4, 11) if array.dtype == np.float16 else (8, 15)
        return lambda v: f"{v:{width}.{digits}e}" if np.isfinite(v) else f"{v!s:>{width}}"
    if array.dtype.kind == "c":
        return _scalar
    width = max(len(_scalar(v)) for v in _corners(array, summary).ravel())
    return lambda v: f"{_scalar(v):>{width}}"


def _ends(size: int, summary: bool) -> tuple[range, range]:
    if summary and size > 2 * _EDGE:
        return range(_EDGE), range(size - _EDGE, size)
    return range(size), range(0)


def _corners(array: np.ndarray, summary: bool) -> np.ndarray:
    for axis, size in enumerate(array.shape):
        array = np.take(array, [i for part in _ends(size, summary) for i in part], axis)
    return array


def _nested(array: np.ndarray, show: Callable[[Any], str], summary: bool, depth: int) -> str:
    first, last = _ends(len(array), summary)
    if array.ndim == 1:
        return f"[{_row(array, show, first, last, depth)}]"
    pad = ",\n" + " " * (depth + 1)
    rows = [pad.join(_nested(array[i], show, summary, depth + 1) for i in part) for part in (first, last) if len(part)]
    gap = ",\n" + " " * (depth + 1) + "...\n" + " " * (depth + 1)
    return f"[{gap.join(rows)}]"


def _row(array: np.ndarray, show: Callable[[Any], str], first: range, last: range, depth: int) -> str:
    per_line = _PER_LINE.get(array.dtype.kind)
    if len(last):
        return " ... ".join(", ".join(show(array[i]) for i in part) for part in (first, last))
    if depth or per_line is None:
        return ", ".join(show(v) for v in array)
    lines = [array[i : i + per_line] for i in range(0, len(array), per_line)]
    return ", \n ".join(", ".join(show(v) for v in line) for line in lines)


def tensor_html(tensor: Any) -> str:
    """Return what a notebook shows: a table for one or two short axes, with dtype and shape; else the `repr`."""
    escape = importlib.import_module("html").escape  # only notebooks need it
    shape = tensor.shape
    if len(shape) not in (1, 2) or not tensor.size or shape[-1] > 12 or (len(shape) == 2 and shape[0] > 20):
        return f"<pre>{escape(repr(tensor))}</pre>"
    rows = tensor.asnumpy().reshape(-1, shape[-1]).tolist()
    shown = lambda value: f"{value:.6g}" if isinstance(value, float) else escape(str(value))
    cells = "".join(f"<tr>{''.join(f'<td>{shown(value)}</td>' for value in row)}</tr>" for row in rows)
    return f"<table><caption>Tensor {describe(tensor)}</caption><tbody>{cells}</tbody></table>"
