"""Layers that extend a Tensor at its ends: by a constant, its mirror image, its edge."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import choice, is_int, label, of_type
from sporax._src.ops.array.pad import pad_last_axes

__all__ = [
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Pad", "ReflectionPad1d", "ReflectionPad2d",
    "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad2d",
]  # fmt: skip


class Pad(Cell):
    """Extends each axis of x.

    Args:
        paddings: A tuple with (before, after) for each axis, at most 4 of them.
        mode: `"CONSTANT"`: zeros. `"REFLECT"`: the mirror image without the edge. `"SYMMETRIC"`: with it.

    Raises:
        TypeError: If `paddings` is not a tuple.
        ValueError: If an element is no pair, there are more than 4, or `mode` is unknown; in a call if a number is
            negative or the axes of x are more or fewer.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.Pad(((1, 0),))(ms.Tensor([1.0, 2.0])).asnumpy()
        array([0., 1., 2.], dtype=float32)
    """

    def __init__(self, paddings: tuple[tuple[int, int], ...], mode: str = "CONSTANT") -> None:
        super().__init__()
        self.mode = choice(self, "mode", mode, ("CONSTANT", "REFLECT", "SYMMETRIC"))
        if not isinstance(paddings, tuple):
            raise TypeError(f"{label(self)}: paddings must be a tuple of pairs, got {describe(paddings)}.")
        if any(len(pair) != 2 for pair in paddings) or len(paddings) > 4:
            raise ValueError(f"{label(self)}: paddings must be a tuple of at most 4 pairs, got {paddings}.")
        self.paddings = paddings if mode == "CONSTANT" else Tensor(np.array(paddings), mstype.int64)
        self._pads = tuple((int(before), int(after)) for before, after in paddings)

    pad = holds(
        lambda self: "Pad" if self.mode == "CONSTANT" else "MirrorPad",
        lambda self: self.paddings if self.mode == "CONSTANT" else self.mode,
    )

    def construct(self, x: Tensor) -> Tensor:
        if any(p < 0 for pair in self._pads for p in pair):
            raise ValueError(f"{label(self)}: paddings must not be negative, got {self._pads}.")
        if x.ndim != len(self._pads):
            raise ValueError(f"{label(self)}: x must have {len(self._pads)} axes for these paddings, got {x.ndim}.")
        return pad_last_axes(x, 0, self._pads, self.mode.lower())


def _from_last(owner: Cell, padding: Any, count: int, negative: bool = True) -> tuple[int, ...]:
    """Return the elements of `padding`: (before, after) of the last axis, then of the one before it, and so on."""
    if is_int(padding):
        padding = (padding,) * (2 * count)
    if not isinstance(padding, tuple) or not all(map(is_int, padding)):
        raise TypeError(f"{label(owner)}: padding must be an integer or a tuple of integers, got {describe(padding)}.")
    if len(padding) % 2 or len(padding) > 2 * count:
        raise ValueError(
            f"{label(owner)}: padding must be an integer or a tuple of up to {count} pairs, got {padding}."
        )
    if not negative and any(p < 0 for p in padding):
        raise ValueError(f"{label(owner)}: padding must not be negative, got {padding}.")
    return padding


def _pairs(padding: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(padding[-2::-2], padding[-1::-2], strict=True))


class _ConstantPad(Cell):
    _count = 1

    def __init__(self, padding: int | tuple[int, ...], value: float) -> None:
        super().__init__()
        self.padding = _from_last(self, padding, self._count)
        self.value = of_type(self, "value", value, (int, float))
        self._pads = _pairs(self.padding)

    def construct(self, x: Tensor) -> Tensor:
        return pad_last_axes(x, self.value, self._pads, "constant")


class ConstantPad1d(_ConstantPad):
    """Extends the last axis of x by a constant, or cuts it where a number is negative.

    Args:
        padding: An integer for both ends, or (left, right).
        value: The constant.
    """

    def __init__(self, padding: int | tuple[int, ...], value: float) -> None:
        super().__init__(padding, value)
        if len(self.padding) != 2:
            raise ValueError(f"{label(self)}: padding must be an integer or a pair, got {padding}.")


class ConstantPad2d(_ConstantPad):
    """Extends the last two axes of x by a constant, or cuts them where a number is negative.

    Args:
        padding: An integer for all ends, or (left, right, top, bottom).
        value: The constant.
    """

    _count = 2


class ConstantPad3d(_ConstantPad):
    """Extends the last three axes of x by a constant, or cuts them where a number is negative.

    Args:
        padding: An integer for all ends, or (left, right, top, bottom, front, back).
        value: The constant.
    """

    _count = 3


class ZeroPad2d(_ConstantPad):
    """Extends the last two axes of x by zeros, or cuts them where a number is negative.

    Args:
        padding: An integer for all ends, or (left, right, top, bottom).
    """

    _count = 2

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__(padding, 0)


class _ReflectionPad(Cell):
    _count = 1

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__()
        self._pads = _pairs(_from_last(self, padding, self._count, negative=False))
        self.padding = [list(pair) for pair in self._pads]

    name = cached_property(lambda self: type(self).__name__)

    def construct(self, x: Tensor) -> Tensor:
        return pad_last_axes(x, 0, self._pads, "reflect") if self._pads else x


class ReflectionPad1d(_ReflectionPad):
    """Extends the last axis of x, shape (N, C, L) or (C, L), by its mirror image.

    Args:
        padding: An integer for both ends, or (left, right).
    """


class ReflectionPad2d(_ReflectionPad):
    """Extends the last two axes of x, shape (N, C, H, W) or (C, H, W), by their mirror image.

    Args:
        padding: An integer for all ends, or (left, right, top, bottom).
    """

    _count = 2


class ReflectionPad3d(_ReflectionPad):
    """Extends the last three axes of x, shape (N, C, D, H, W) or (C, D, H, W), by their mirror image.

    Args:
        padding: An integer for all ends, or (left, right, top, bottom, front, back).
    """

    _count = 3


class _ReplicationPad(Cell):
    _count = 1

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__()
        self.padding = _from_last(self, padding, self._count)
        self._pads = _pairs(self.padding)

    name = cached_property(lambda self: type(self).__name__)
    padv3 = holds("PadV3", "edge")

    def construct(self, x: Tensor) -> Tensor:
        return pad_last_axes(x, 0, self._pads, "edge")


class ReplicationPad1d(_ReplicationPad):
    """Extends the last axis of x, shape (N, C, L) or (C, L), by its edge.

    Args:
        padding: An integer for both ends, or (left, right).
    """


class ReplicationPad2d(_ReplicationPad):
    """Extends the last two axes of x, shape (N, C, H, W) or (C, H, W), by their edges.

    Args:
        padding: An integer for all ends, or (left, right, top, bottom).
    """

    _count = 2


class ReplicationPad3d(_ReplicationPad):
    """Extends the last three axes of x, shape (N, C, D, H, W) or (C, D, H, W), by their edges.

    Args:
        padding: An integer for all ends, or (left, right, top, bottom, front, back).
    """

    _count = 3
