"""Arguments that several image operations take, brought to one form."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.vision.enums import Border, Inter


def size_pair(where: str, size: object) -> tuple[int, int]:
    """Return (height, width) of an int, for a square, or of a pair.

    Raises:
        TypeError: If `size` is something else.
        ValueError: If a side is not positive.
    """
    sides = (size, size) if isinstance(size, int) and not isinstance(size, bool) else size
    if not isinstance(sides, (list, tuple)) or len(sides) != 2:
        raise TypeError(f"{where}: size must be an int or (height, width), got {describe(size)}.")
    return checks.integer(where, "size", sides[0], 1), checks.integer(where, "size", sides[1], 1)


def padding(where: str, value: object) -> tuple[int, int, int, int]:
    """Return (left, top, right, bottom) of one number, (left and right, top and bottom), or all four.

    Raises:
        TypeError: If `value` is something else.
        ValueError: If a number is negative or there are not 1, 2 or 4.
    """
    parts = (value,) if isinstance(value, int) else value
    if not isinstance(parts, (list, tuple)):
        raise TypeError(f"{where}: padding must be an int or a tuple of int, got {describe(value)}.")
    for part in parts:
        checks.integer(where, "padding", part, 0)
    if len(parts) == 1:
        return parts[0], parts[0], parts[0], parts[0]
    if len(parts) == 2:
        return parts[0], parts[1], parts[0], parts[1]
    if len(parts) == 4:
        return parts[0], parts[1], parts[2], parts[3]
    raise ValueError(f"{where}: padding must have 1, 2 or 4 numbers, got {describe(value)}.")


def colour(where: str, fill_value: object) -> tuple[int, ...]:
    """Return one or three numbers of [0, 255].

    Raises:
        TypeError: If `fill_value` is something else.
        ValueError: If a number is out of range.
    """
    parts = (fill_value,) if isinstance(fill_value, int) and not isinstance(fill_value, bool) else fill_value
    if not isinstance(parts, (list, tuple)) or len(parts) not in (1, 3):
        raise TypeError(f"{where}: fill_value must be an int or three of them, got {describe(fill_value)}.")
    return tuple(checks.integer(where, "fill_value", part, 0, 255) for part in parts)


def choice(where: str, name: str, value: object, kind: type[Border] | type[Inter]) -> Any:
    """Return `value` if it is a member of `kind`.

    Raises:
        TypeError: If it is not.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{where}: {name} must be a {kind.__name__}, got {describe(value)}.")
    return value


def interval(where: str, name: str, value: Any, low: float | None = None) -> tuple[float, float]:
    """Return (least, most) of a pair of numbers.

    Raises:
        TypeError: If `value` is not a pair of numbers.
        ValueError: If the least is above the most, or below `low`.
    """
    pair = isinstance(value, (list, tuple)) and len(value) == 2
    if not pair or not all(isinstance(end, (int, float)) for end in value):
        raise TypeError(f"{where}: {name} must be (least, most), got {describe(value)}.")
    if value[0] > value[1] or (low is not None and value[0] < low):
        bound = "" if low is None else f" and at least {low}"
        raise ValueError(f"{where}: {name} must be (least, most) in order{bound}, got {describe(value)}.")
    return float(value[0]), float(value[1])


def filled(image: np.ndarray, height: int, width: int, colours: tuple[int, ...]) -> np.ndarray:
    """Return a canvas of `height` × `width` like `image`, in one colour."""
    canvas = np.empty((height, width, *image.shape[2:]), image.dtype)
    canvas[...] = colours if image.ndim == 3 and len(colours) == image.shape[2] else colours[0]
    return canvas
