"""Sources without files: FakeImageDataset, RandomDataset."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks, config
from sporax._src.data.cpp_random import normals, stream32, uniform
from sporax._src.data.dataset import Row
from sporax._src.data.iteration import Run
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.mappable import MappableDataset
from sporax._src.data.sources.schema import Schema, numpy_type

_TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64")  # fmt: skip


class FakeImageDataset(MappableDataset):
    """Gives random images (uint8) and labels (uint32), the same for the same `base_seed`.

    Args:
        num_images (int): How many. Default: 1000.
        image_size (tuple): The shape of an image. Default: ``(224, 224, 3)``.
        num_classes (int): How many labels there are. Default: 10.
        base_seed (int): The seed of the first image; each further one has the next. Default: 0.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: See `MnistDataset`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is not positive.
        RuntimeError: If arguments exclude each other.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.FakeImageDataset(4, (8, 8, 3), 2)
        >>> data.get_dataset_size(), data.output_shapes()
        (4, [[8, 8, 3], []])
    """

    def __init__(
        self, num_images: int = 1000, image_size: object = (224, 224, 3), num_classes: int = 10, base_seed: int = 0,
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        where = "FakeImageDataset"
        if not isinstance(image_size, (list, tuple)):
            raise TypeError(f"{where}: image_size must be a list or tuple, got {describe(image_size)}.")
        if len(image_size) != 3:
            raise ValueError(f"{where}: image_size must have three numbers, got {describe(image_size)}.")
        self.image_size = tuple(checks.integer(where, "image_size", size, 1) for size in image_size)
        self.num_images = checks.integer(where, "num_images", num_images, 1)
        self._class_count = checks.integer(where, "num_classes", num_classes, 1)
        self.base_seed = checks.integer(where, "base_seed", base_seed, -(2**31))
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)

    def _columns(self) -> list[str]:
        return ["image", "label"]

    def _total(self) -> int:
        return self.num_images

    def _label(self, index: int) -> int:
        return uniform(stream32((self.base_seed + index) % 2**32), self._class_count - 1)

    def _labels(self) -> np.ndarray:
        return np.array([self._label(index) for index in range(self.num_images)])

    def _item(self, index: int) -> Row:
        # MindSpore draws an image's doubles and then takes their bytes, as many as there are pixels.
        size = math.prod(self.image_size)
        drawn = normals((self.base_seed + index) % 2**32, -(-size // 8)).clip(0, 255)
        image = drawn.view(np.uint8)[:size].reshape(self.image_size)
        return image.copy(), np.array(self._label(index), np.uint32)

    def num_classes(self) -> int:
        """Return the number of classes."""
        return self._class_count


class RandomDataset(MappableDataset):
    """Gives random rows; every array repeats one random byte, as in MindSpore.

    Args:
        total_rows (int, optional): How many. Default: ``None``, a random number up to 1024.
        schema (Union[str, Schema], optional): Names, types and shapes of the columns, or a JSON file of them.
            Default: ``None``, one to four random columns.
        columns_list (list[str], optional): Accepted and ignored, as MindSpore does.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers, cache, shuffle, num_shards, shard_id: Accepted; rows come in order, all of them.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If only one of `num_shards` and `shard_id` is given.

    Examples:
        >>> import sporax.dataset as ds
        >>> schema = ds.Schema()
        >>> schema.add_column("pixels", "uint8", [2, 3])
        >>> ds.RandomDataset(5, schema).output_shapes()
        [[2, 3]]
    """

    def __init__(
        self, total_rows: int | None = None, schema: str | Schema | None = None, columns_list: list[str] | None = None,
        num_samples: int | None = None, num_parallel_workers: int | None = None, cache: object = None,
        shuffle: bool | None = None, num_shards: int | None = None, shard_id: int | None = None,
    ) -> None:  # fmt: skip
        where = "RandomDataset"
        super().__init__(num_parallel_workers, None, num_samples, shuffle, num_shards, shard_id, cache)
        self.sampler = None
        if schema is not None and not isinstance(schema, (str, Schema)):
            raise TypeError(f"{where}: schema must be a path or a Schema, got {describe(schema)}.")
        if columns_list is not None and not isinstance(columns_list, list):
            raise TypeError(f"{where}: columns_list must be a list, got {describe(columns_list)}.")
        rows = 0 if total_rows is None else checks.integer(where, "total_rows", total_rows, 0)
        rows = num_samples or rows if schema is None else rows
        self._stream = stream32(config.draw_seed())
        self.total_rows = rows or self._between(1, 1024)
        self._schema = Schema(schema) if isinstance(schema, str) else schema
        self._described = self._invented() if self._schema is None else self._schema.columns
        self._rows_so_far: list[Row] = []

    def _between(self, low: int, high: int) -> int:
        return low + uniform(self._stream, high - low)

    def _invented(self) -> list[dict[str, Any]]:
        columns = []
        for number in range(self._between(1, 4)):
            kind = _TYPES[self._between(1, len(_TYPES)) - 1]
            shape = [self._between(0, 32) or -1 for _ in range(self._between(1, 4))]
            columns.append({"name": f"c{number}", "type": kind, "shape": shape})
        return columns

    def _columns(self) -> list[str]:
        return [column["name"] for column in self._described]

    def _total(self) -> int:
        return self.total_rows

    def _item(self, index: int) -> Row:
        while len(self._rows_so_far) <= index:  # one stream runs through all rows
            self._rows_so_far.append(tuple(self._random(column) for column in self._described))
        return tuple(value.copy() for value in self._rows_so_far[index])

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        """Yield the rows without workers: two of them would take their numbers from the stream in turn."""
        for index in self._indices(run, epoch)[start:].tolist():
            yield self._item(index)

    def _random(self, column: dict[str, Any]) -> np.ndarray:
        shape = [self._between(1, 32) if size == -1 else size for size in column.get("shape", ())]
        kind = numpy_type(column)
        byte = self._between(0, 255)
        return np.full(math.prod(shape) * kind.itemsize, byte, np.uint8).view(kind).reshape(shape)
