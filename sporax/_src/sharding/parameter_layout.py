"""The layout of a Parameter over devices, as in MindSpore's files of strategies, and the slice of each device."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

Box = tuple[slice, ...]  # of the whole array


@dataclass(frozen=True)
class Cut:
    """The layout of one Parameter over the devices of a pipeline stage.

    Attributes:
        matrix: The number of devices along each axis of the device matrix.
        tensor_map: For each axis of the Parameter the axes of the device matrix that shard it, counted from the last, outermost
            first.
        step: The stride between the devices of optimizer sharding (`enable_parallel_optimizer`); 0: there is none.
        parts: The number of optimizer shards along the Parameter's first axis; -1: one for each replica.
        split: The sizes of unequal pieces along the first axis.
        field: The number of fields of an embedding table that is sharded by columns.
    """

    matrix: tuple[int, ...]
    tensor_map: tuple[tuple[int, ...], ...]
    step: int = 0
    parts: int = 0
    split: tuple[int, ...] = ()
    field: int = 0

    @property
    def devices(self) -> int:
        """How many devices there are."""
        return math.prod(self.matrix)

    @cached_property
    def _used(self) -> list[list[int]]:
        """The axes of the device matrix that shard each axis, counted from the first."""
        return [[len(self.matrix) - 1 - i for i in axes] for axes in self.tensor_map]

    @cached_property
    def _alike(self) -> list[int]:
        """The axes of the device matrix along which devices are replicas, apart from optimizer sharding."""
        used = {i for axes in self._used for i in axes}
        return [i for i in range(len(self.matrix)) if i not in used]

    @cached_property
    def shared(self) -> int:
        """The number of optimizer shards; 1: there is no optimizer sharding."""
        if not self.parts or not self.step or not self.tensor_map:
            return 1
        return self._sizes(self._alike) if self.parts == -1 else self.parts

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of pieces along each axis."""
        counts = [self._sizes(axes) for axes in self._used]
        return tuple([counts[0] * self.shared, *counts[1:]] if counts else [])

    def _sizes(self, axes: Sequence[int]) -> int:
        return math.prod(self.matrix[i] for i in axes)

    def _number(self, coordinates: Sequence[int], axes: Sequence[int]) -> int:
        number = 0
        for i in axes:
            number = number * self.matrix[i] + coordinates[i]
        return number

    def _put(self, coordinates: list[int], axes: Sequence[int], number: int) -> None:
        for i in reversed(axes):
            number, coordinates[i] = divmod(number, self.matrix[i])

    def index(self, device: int) -> tuple[int, ...]:
        """Return the number of a device's piece along each axis."""
        coordinates = [int(i) for i in np.unravel_index(device % self.devices, self.matrix)] if self.matrix else []
        numbers = [self._number(coordinates, axes) for axes in self._used]
        if numbers:
            numbers[0] = numbers[0] * self.shared + self._number(coordinates, self._alike) % self.shared
        return tuple(numbers)

    def holder(self, index: Sequence[int], near: int) -> int:
        """Return the device that has a piece. Among replicas, its other coordinates equal those of `near`."""
        if not self.matrix:
            return 0
        coordinates = [int(i) for i in np.unravel_index(near % self.devices, self.matrix)]
        alike, rest = self._number(coordinates, self._alike), list(index)
        if rest:
            rest[0], share = divmod(rest[0], self.shared)
            alike = alike // self.shared * self.shared + share
        for axes, number in zip(self._used, rest, strict=True):
            self._put(coordinates, axes, number)
        self._put(coordinates, self._alike, alike)
        return int(np.ravel_multi_index(coordinates, self.matrix))

    def whole(self, piece: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the whole Parameter whose pieces have the shape `piece`."""
        return tuple(n * c for n, c in zip(piece, self.counts, strict=True))

    def piece(self, whole: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the pieces of a Parameter.

        Raises:
            ValueError: If it cannot be sharded like this.
        """
        if len(whole) != len(self.counts) or any(n % c for n, c in zip(whole, self.counts, strict=True)):
            raise ValueError(f"the shape {list(whole)} cannot be cut into {list(self.counts)} equal pieces")
        return tuple(n // c for n, c in zip(whole, self.counts, strict=True))

    def box(self, device: int, whole: Sequence[int]) -> Box:
        """Return the slice of a device's piece in the whole.

        Raises:
            ValueError: If it cannot be sharded like this.
        """
        return _box(self.index(device), self.piece(whole))

    def overlapping(self, box: Box, whole: Sequence[int], near: int) -> Iterator[tuple[int, Box]]:
        """Yield the devices whose pieces cover a part of the whole, with the slice of each piece.

        Args:
            box: The part.
            whole: The shape of the whole.
            near: Among replicas, the one with the other coordinates of this device is chosen.

        Raises:
            ValueError: If the whole cannot be sharded like this.
        """
        size = self.piece(whole)
        spans = [range(s.start // n, -(-s.stop // n)) if n else range(0) for s, n in zip(box, size, strict=True)]
        for index in itertools.product(*spans):
            yield self.holder(index, near), _box(index, size)

    def as_list(self, stages: Sequence[int] = (0,)) -> list[Any]:
        """Return the layout as the list that MindSpore's functions use."""
        maps = [list(axes) if len(axes) > 1 else (axes or (-1,))[0] for axes in self.tensor_map]
        return [list(self.matrix), maps, list(self.split), self.field, self.step, self.parts, list(stages)]


def _box(index: Sequence[int], size: Sequence[int]) -> Box:
    return tuple(slice(i * n, (i + 1) * n) for i, n in zip(index, size, strict=True))


def whole_cut(axes: int) -> Cut:
    """Return the layout of a Parameter with so many axes on one device."""
    return Cut((1,), ((),) * axes)


def cut_of(
    matrix: object, tensor_map: object, step: object = 0, parts: object = 0, split: object = (), field: object = 0
) -> Cut:
    """Return the `Cut` for the numbers of a file or a program.

    Args:
        matrix, tensor_map, step, parts, split, field: See `Cut`; an axis of `tensor_map` may be a number, -1 for none.

    Raises:
        ValueError: If they do not describe a way to cut.
    """
    sizes = _numbers("dev_matrix", matrix, 1)
    if math.prod(sizes) > 2**16 or not isinstance(tensor_map, (list, tuple)):
        raise ValueError(
            f"dev_matrix {list(sizes)} and tensor_map {tensor_map!r} must be lists, of up to 65,536 devices"
        )
    by_axis = [_numbers("tensor_map", axes if isinstance(axes, (list, tuple)) else [axes], -1) for axes in tensor_map]
    maps = tuple([tuple([i for i in axes if i != -1]) for axes in by_axis])
    used = [i for axes in maps for i in axes]
    if len(set(used)) != len(used) or any(i >= len(sizes) for i in used):
        raise ValueError(f"tensor_map {tensor_map!r} must name axes of dev_matrix {list(sizes)}, each once at most")
    step, parts, field = _numbers("opt_weight_shard_step, opt_weight_shard_size and field", [step, parts, field], -1)
    cut = Cut(sizes, maps, step, parts, _numbers("param_split_shape", split, 0), field)
    alike = math.prod(sizes) // math.prod(sizes[len(sizes) - 1 - i] for i in used)
    if step < 0 or field < 0:
        raise ValueError(f"opt_weight_shard_step {step} and field {field} must be >= 0")
    if alike % max(1, cut.shared):
        raise ValueError(f"opt_weight_shard_size {parts} must divide the {alike} devices with equal pieces")
    return cut


def _numbers(name: str, values: object, least: int) -> tuple[int, ...]:
    if not isinstance(values, (list, tuple)) or len(values) > 64:
        raise ValueError(f"{name} must be a list of up to 64 ints, got {values!r:.60}")
    if not all(isinstance(n, int) and not isinstance(n, bool) and least <= n < 2**40 for n in values):
        raise ValueError(f"{name} must be ints >= {least}, got {values!r:.60}")
    return tuple(values)
