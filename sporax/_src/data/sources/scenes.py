"""Sources of pictures with segmentation masks or polygons: Cityscapes, DIV2K, Semantic Boundaries."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.mnist_cifar import lacking
from sporax._src.data.sources.stored import StoredDataset, matrices


class CityscapesDataset(StoredDataset):
    """Gives the pictures of Cityscapes and, as `task` asks, segmentation masks, or the polygons as JSON text.

    Args:
        dataset_dir (str): The folder with ``leftImg8bit``, and ``gtFine`` or ``gtCoarse``.
        usage (str): ``'train'``, ``'test'``, ``'val'`` or ``'all'``; of the coarse ones ``'train_extra'`` in place of
            ``'test'``. Default: ``'train'``.
        quality_mode (str): ``'fine'`` or ``'coarse'``. Default: ``'fine'``.
        task (str): ``'instance'``, ``'semantic'``, ``'polygon'`` or ``'color'``. Default: ``'instance'``.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.CityscapesDataset(tempfile.mkdtemp(), "test", "coarse")
        Traceback (most recent call last):
            ...
        ValueError: CityscapesDataset: usage must be one of ['train', 'train_extra', 'val', 'all'], got 'test'.
    """

    _names = ("image", "task")
    _endings = {"instance": "instanceIds.png", "semantic": "labelIds.png", "polygon": "polygons.json",
                "color": "color.png"}  # fmt: skip

    def __init__(
        self, dataset_dir: str, usage: str = "train", quality_mode: str = "fine", task: str = "instance",
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None,
        decode: bool | None = None, sampler: object = None, num_shards: int | None = None, shard_id: int | None = None,
        cache: object = None,
    ) -> None:  # fmt: skip
        self._choices = {
            "quality_mode": ("fine", "coarse"),
            "usage": ("train", "train_extra" if quality_mode == "coarse" else "test", "val", "all"),
            "task": tuple(self._endings),
        }
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode,
            quality_mode=quality_mode, usage=usage, task=task,
        )  # fmt: skip

    def _find(self, quality_mode: str, usage: str, task: str) -> Sequence[Any]:
        kind, mark = f"gt{quality_mode.title()}", "_leftImg8bit"
        return [
            (
                self._at("leftImg8bit", part, city, name),
                self._at(kind, part, city, f"{name.partition(mark)[0]}_{kind}_{self._endings[task]}"),
            )
            for part in (self._choices["usage"][:3] if usage == "all" else (usage,))
            for city in self._listed("leftImg8bit", part, folders=True)
            for name in self._listed("leftImg8bit", part, city, ending=".png")
        ]

    def _read(self, path: str, target: str) -> Row:
        if not target.endswith(".json"):
            return self._picture(path), self._picture(target)
        try:
            polygons = parse_json(self._bytes(target))
        except ValueError as error:
            raise RuntimeError(f"CityscapesDataset: {shown(target)} holds no polygons: {shown(error)}.") from error
        return self._picture(path), np.array(json.dumps(polygons, separators=(",", ":"), sort_keys=True))


class DIV2KDataset(StoredDataset):
    """Gives the pictures of DIV2K, of high resolution and of low.

    Args:
        dataset_dir (str): The folder with ``DIV2K_train_HR``, ``DIV2K_train_LR_bicubic`` and so on.
        usage (str): ``'train'``, ``'valid'`` or ``'all'``. Default: ``'train'``.
        downgrade (str): ``'bicubic'``, ``'unknown'``, ``'mild'``, ``'difficult'`` or ``'wild'``. Default: the first.
        scale (int): 2, 3, 4 or, of the first, 8; of the last three, 4. Default: 2.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.DIV2KDataset(tempfile.mkdtemp(), downgrade="mild", scale=8)
        Traceback (most recent call last):
            ...
        ValueError: DIV2KDataset: scale of 'mild' must be one of [4], got 8.
    """

    _names = ("hr_image", "lr_image")
    _choices = {"usage": ("train", "valid", "all"), "downgrade": ("bicubic", "unknown", "mild", "difficult", "wild")}

    def __init__(
        self, dataset_dir: str, usage: str = "train", downgrade: str = "bicubic", scale: int = 2,
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None,
        decode: bool | None = None, sampler: object = None, num_shards: int | None = None, shard_id: int | None = None,
        cache: object = None,
    ) -> None:  # fmt: skip
        scales = {"bicubic": [2, 3, 4, 8], "unknown": [2, 3, 4]}.get(downgrade, [4])
        if not isinstance(scale, int):
            raise TypeError(f"DIV2KDataset: scale must be an int, got {describe(scale)}.")
        if scale not in scales:
            raise ValueError(f"DIV2KDataset: scale of {downgrade!r} must be one of {scales}, got {scale}.")
        self.scale = scale
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode,
            usage=usage, downgrade=downgrade,
        )  # fmt: skip

    def _find(self, usage: str, downgrade: str) -> Sequence[Any]:
        folder = "x8" if self.scale == 8 else downgrade
        if downgrade in ("bicubic", "unknown") and self.scale != 8:
            folder = os.path.join(downgrade, f"X{self.scale}")
        mark = {"mild": "m", "difficult": "d", "wild": "w"}.get(downgrade, "")
        return [
            (
                self._at(f"DIV2K_{part}_HR", name),
                self._at(f"DIV2K_{part}_LR_{folder}", f"{name.removesuffix('.png')}x{self.scale}{mark}.png"),
            )
            for part in (("train", "valid") if usage == "all" else (usage,))
            for name in self._listed(f"DIV2K_{part}_HR", ending=".png")
        ]

    def _read(self, high: str, low: str) -> Row:
        return self._picture(high), self._picture(low)


class SBDataset(StoredDataset):
    """Gives the pictures of the Semantic Boundaries Dataset, and the boundaries of 20 classes or a picture of them (uint8).

    Args:
        dataset_dir (str): The folder with ``img``, ``cls``, which SciPy reads, ``train.txt`` and so on.
        task (str): ``'Boundaries'``, of shape ``(20, height, width)``, or ``'Segmentation'``. Default: ``'Boundaries'``.
        usage (str): ``'train'``, ``'val'``, ``'train_noval'`` or ``'all'``. Default: ``'all'``.
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id: See `ImageFolderDataset`.

    The errors are those of `ImageFolderDataset`; a missing list is a FileNotFoundError.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.SBDataset(tempfile.mkdtemp(), "Edges")
        Traceback (most recent call last):
            ...
        ValueError: SBDataset: task must be one of ['Boundaries', 'Segmentation'], got 'Edges'.
    """

    _names = ("image", "task")
    _choices = {"task": ("Boundaries", "Segmentation"), "usage": ("all", "train", "val", "train_noval")}

    def __init__(
        self, dataset_dir: str, task: str = "Boundaries", usage: str = "all", num_samples: int | None = None,
        num_parallel_workers: int = 1, shuffle: bool | Shuffle | None = None, decode: bool | None = None,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, decode=decode,
            task=task, usage=usage,
        )  # fmt: skip

    def _find(self, task: str, usage: str) -> Sequence[Any]:
        entries = []
        for part in ("train", "val") if usage == "all" else (usage,):
            if not os.path.isfile(path := self._at(f"{part}.txt")):
                raise lacking("SBDataset", self.dataset_dir, [f"{part}.txt"], FileNotFoundError)
            with open(path, encoding="utf-8") as file:
                entries += [(line.strip(), task) for line in file]
        return entries

    def _read(self, name: str, task: str) -> Row:
        marks = matrices(self._at("cls", f"{name}.mat"))["GTcls"][0][task][0]
        if task == "Boundaries":
            marks = np.stack([marks[k][0].toarray() for k in range(20)])
        return self._picture(self._at("img", f"{name}.jpg")), np.array(marks)
