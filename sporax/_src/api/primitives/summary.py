"""Values that a running program reports: summaries for collectors, and dumps into files."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
from collections.abc import Callable, Iterator

import jax
import numpy as np

from sporax._src.api.primitives.higher_order import PUBLIC
from sporax._src.bindings.primitive import primitives
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor

Entry = tuple[str, str, np.ndarray]
"""Tag, kind ("Scalar", "Tensor", "Image", "Histogram") and value of one summary."""

_collections: list[list[Entry] | _Latest] = []


@contextlib.contextmanager
def collecting() -> Iterator[list[Entry]]:
    """Collect in a list the summaries of the block; those of a compiled graph arrive when it has run."""
    entries: list[Entry] = []
    _collections.append(entries)
    try:
        yield entries
        jax.effects_barrier()
    finally:
        _collections[:] = [c for c in _collections if c is not entries]


class _Latest(dict[tuple[str, str], np.ndarray]):
    """The last value of each tag and kind."""

    def append(self, entry: Entry) -> None:
        tag, kind, value = entry
        self[tag, kind] = value


def latest_summaries() -> Callable[[], dict[tuple[str, str], np.ndarray]]:
    """Record the last value of each tag and kind from now on.

    Returns:
        A function that returns the values recorded since its previous call.
    """
    latest = _Latest()
    _collections.append(latest)

    def collected() -> dict[tuple[str, str], np.ndarray]:
        jax.effects_barrier()
        values = dict(latest)
        latest.clear()
        return values

    return collected


def _collect(value: np.ndarray, *, tag: str, kind: str) -> None:
    for entries in _collections:
        entries.append((tag, kind, np.array(value)))


def _when_run(fn: Callable[..., None], value: Tensor, **fixed: object) -> None:
    """Call `fn(array, **fixed)` now, or in a compiled graph each time it runs."""
    if tracing():
        jax.debug.callback(functools.partial(fn, **fixed), value._data)
    else:
        fn(value._data, **fixed)


# --- summaries -------------------------------------------------------------------------------------------------------


def _summary(kind: str, name: object, value: object, fits: Callable[[Tensor], bool], shape: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"ops.{kind}Summary: name must be a str, got {type(name).__name__}.")
    if not name:
        raise ValueError(f"ops.{kind}Summary: name must not be empty.")
    if not isinstance(value, Tensor):
        raise TypeError(f"ops.{kind}Summary: value must be a Tensor, got {type(value).__name__}.")
    if not fits(value):
        raise ValueError(f"ops.{kind}Summary: value must have {shape}, got shape {list(value.shape)}.")
    _when_run(_collect, value, tag=name, kind=kind)


# --- dumps -----------------------------------------------------------------------------------------------------------

_numbers = itertools.count()


def _save(value: np.ndarray, *, stem: str) -> None:
    name = str(value.dtype)
    array = np.asarray(value)
    folder = os.path.dirname(stem)
    if folder:
        os.makedirs(folder, exist_ok=True)
    np.save(f"{stem}_{name}_{next(_numbers)}.npy", array.astype(np.float32) if name == "bfloat16" else array)


def tensordump(file_name: str, tensor: Tensor, mode: str = "out") -> None:
    """Save a Tensor to `<file_name>_<dtype>_<number>.npy`, in a compiled graph each time it runs.

    Args:
        file_name: The path; an ending ".npy" is dropped. Numbers count the dumps of the process.
        tensor: The Tensor; bfloat16 is saved as float32.
        mode: "out", or "in", which is then part of the name: `<file_name>_in_<dtype>_<number>.npy`.

    Raises:
        TypeError: If `file_name` is not a str or is empty, or `tensor` is not a Tensor.
        ValueError: If `mode` is unknown.

    Examples:
        >>> ops.tensordump("activations", Tensor([1.0, 2.0]))
    """
    if not isinstance(file_name, str) or not file_name:
        raise TypeError(f"ops.tensordump: file_name must be a str, and not empty, got {file_name!r}.")
    if not isinstance(tensor, Tensor):
        raise TypeError(f"ops.tensordump: tensor must be a Tensor, got {type(tensor).__name__}.")
    if mode not in ("in", "out"):
        raise ValueError(f"ops.tensordump: mode must be 'in' or 'out', got {mode!r}.")
    stem = file_name.removesuffix(".npy")
    _when_run(_save, tensor, stem=f"{stem}_in" if mode == "in" else stem)


PUBLIC["tensordump"] = tensordump


primitives(
    """\
    name: The name, a str that is not empty.
    value: A Tensor with at least one axis.
    TypeError: If `name` is not a str or `value` not a Tensor.
ScalarSummary()(name: str, value: Tensor) -> \
_summary("Scalar", name, value, lambda v: v.size == 1, "one element")
    Record a Tensor of one element under a name, where summaries are collected.
    value: A Tensor.
    ValueError: If `name` is empty or `value` has more elements.
    >>> ops.ScalarSummary()("loss", Tensor(0.5))
TensorSummary()(name: str, value: Tensor) -> \
_summary("Tensor", name, value, lambda v: v.ndim > 0, "at least one axis")
    Record a Tensor under a name, where summaries are collected.
    ValueError: If `name` is empty or `value` has no axis.
    >>> ops.TensorSummary()("weight", Tensor([0.5, 1.0]))
ImageSummary()(name: str, value: Tensor) -> \
_summary("Image", name, value, lambda v: v.ndim == 4, "4 axes")
    Record images (N, C, H, W) under a name, where summaries are collected.
    value: A Tensor with 4 axes.
    ValueError: If `name` is empty or `value` has another number of axes.
    >>> ops.ImageSummary()("input", ops.ones((1, 3, 4, 4)))
HistogramSummary()(name: str, value: Tensor) -> \
_summary("Histogram", name, value, lambda v: v.ndim > 0, "at least one axis")
    Record a Tensor, whose histogram is meant, under a name, where summaries are collected.
    ValueError: If `name` is empty or `value` has no axis.
    >>> ops.HistogramSummary()("weight", Tensor([0.5, 1.0]))
TensorDump(input_output='out')(file, input_x) -> tensordump(file, input_x, input_output)
    Save a Tensor to `<file>_<dtype>_<number>.npy`, in a compiled graph each time it runs.
    input_output: "out", or "in", which is then part of the name: `<file>_in_<dtype>_<number>.npy`.
    TypeError: If `file` is not a str or is empty, or `input_x` is not a Tensor.
    >>> ops.TensorDump()("activations", Tensor([1.0, 2.0]))
""",
    globals(),
)
