"""Consecutive operations on bytes done at once: a table holds what they make of each byte of each channel.

The usual end of a pipeline, ``Rescale``, ``Normalize``, ``HWC2CHW``, reads and writes an image of float32 once for each of
them. A table needs one pass. It holds the results of the operations themselves, so the image is the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from sporax._src.data.transforms.base import is_pil
from sporax._src.data.vision import opencv
from sporax._src.data.vision.image import to_pil

_DTYPES = ("uint8", "float32", "float64")  # that OpenCV looks up


class _Table(NamedTuple):
    """The results for each byte, ``(C, 256)``, and whether the channels of an image move to the front."""

    results: np.ndarray
    is_first: bool


class Together:
    """Does consecutive operations at once where an image has bytes.

    Args:
        operations: Operations whose ``by_element`` is true.
    """

    def __init__(self, operations: Sequence[Callable[..., Any]]) -> None:
        self._operations = operations
        self._tables: dict[tuple[bool, int], _Table | None] = {}

    def __call__(self, image: object) -> np.ndarray | None:
        """Return the result for an image; None where the operations have to be called: it has no bytes, or they raise."""
        pil = is_pil(image)
        if pil and getattr(image, "mode", None) != "RGB":
            return None
        array = np.asarray(image) if pil else image
        if not isinstance(array, np.ndarray) or array.dtype != np.uint8 or array.ndim != 3:
            return None
        key = pil, array.shape[2]
        if key not in self._tables:
            self._tables[key] = self._table(*key)
        table = self._tables[key]
        return None if table is None else opencv.by_channel(array, table.results, table.is_first)

    def _table(self, pil: bool, channels: int) -> _Table | None:
        if not 0 < channels <= opencv.MOST_CHANNELS:
            return None
        bytes_ = np.repeat(np.arange(256, dtype=np.uint8), channels).reshape(256, 1, channels)
        value: Any = to_pil(bytes_) if pil else bytes_
        try:
            for operation in self._operations:
                value = operation(value)
        except RuntimeError:  # the image does not suit an operation, whose call will say so
            return None
        if not isinstance(value, np.ndarray) or value.dtype.name not in _DTYPES:
            return None
        if value.shape == (256, 1, channels):
            return _Table(np.ascontiguousarray(value[:, 0].T), is_first=False)
        return _Table(value[..., 0], is_first=True) if value.shape == (channels, 256, 1) else None


class Step(NamedTuple):
    """Operations that follow one another, and how they are done at once, if they can be."""

    operations: list[Callable[..., Any]]
    together: Together | None


def steps(operations: Sequence[Callable[..., Any]]) -> list[Step]:
    """Return operations as steps, in order: those that a table can stand for are in one.

    Examples:
        >>> from sporax._src.data.vision.byte_tables import steps
        >>> from sporax.dataset import vision
        >>> found = steps([vision.Decode(), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()])
        >>> [(len(step.operations), step.together is not None) for step in found]
        [(1, False), (2, True)]
    """
    found = []
    for by_element, group in groupby(operations, _by_element):
        listed = list(group)
        found.append(Step(listed, Together(listed) if by_element and len(listed) > 1 else None))
    return found


def _by_element(operation: object) -> bool:
    return vars(type(operation)).get("by_element", False)  # a user's subclass may do something else
