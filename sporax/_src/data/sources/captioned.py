"""Sources of pictures with texts, and of faces and patches in pairs: Flickr, SBU, LFW, PhotoTour."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.stored import StoredDataset
from sporax._src.data.vision.image import decode as decoded


class FlickrDataset(StoredDataset):
    """Gives the pictures of Flickr8k or Flickr30k and the texts of each, a vector.

    Args:
        dataset_dir (str): The folder of the pictures.
        annotation_file (str): The file of the texts, such as ``Flickr8k.token.txt``.
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id, cache: See
            `ImageFolderDataset`.

    The errors are those of `ImageFolderDataset`; a missing file of texts is a ValueError.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "1.jpg"), "wb") as file:
        ...     _ = file.write(b"image")
        >>> with open(os.path.join(folder, "token.txt"), "w") as file:
        ...     _ = file.write("1.jpg#0\\tA dog .\\n1.jpg#1\\tA black dog .\\n")
        >>> data = ds.FlickrDataset(folder, os.path.join(folder, "token.txt"))
        >>> next(data.create_dict_iterator(1, output_numpy=True))["annotation"].tolist()
        ['A dog .', 'A black dog .']
    """

    _names = ("image", "annotation")

    def __init__(
        self, dataset_dir: str, annotation_file: str, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, decode: bool | None = None,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        self.annotation_file = checks.file("FlickrDataset", annotation_file)
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode
        )

    def _find(self) -> Sequence[Any]:
        texts: dict[str, list[str]] = {}
        for number, line in enumerate(self._text(self.annotation_file).splitlines()):
            name, tab, said = line.partition("\t")
            if line and not (tab and said and "#" in name):
                raise RuntimeError(f"FlickrDataset: line {number} of {self.annotation_file} is not a name and a text.")
            if line:
                path = self._at(name.rpartition("#")[0])
                self._bytes(path)
                texts.setdefault(path, []).append(said)
        return sorted(texts.items())

    def _read(self, path: str, texts: list[str]) -> Row:
        return self._picture(path), np.array(texts)


class SBUDataset(StoredDataset):
    """Gives the pictures of the SBU captioned photo dataset that are there, and the text of each.

    Args:
        dataset_dir (str): The folder with ``SBU_captioned_photo_dataset_urls.txt``,
            ``SBU_captioned_photo_dataset_captions.txt`` and ``sbu_images``.
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id, cache: See
            `ImageFolderDataset`.

    The errors are those of `ImageFolderDataset`; missing files are a ValueError.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.SBUDataset, ds.MappableDataset)
        True
    """

    _names = ("image", "caption")

    def __init__(
        self, dataset_dir: str, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None, decode: bool = False, sampler: object = None, num_shards: int | None = None,
        shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode
        )

    def _find(self) -> Sequence[Any]:
        files = [f"SBU_captioned_photo_dataset_{kind}.txt" for kind in ("urls", "captions")]
        for name in files:
            checks.file("SBUDataset", self._at(name))
        there = set(self._listed("sbu_images"))
        pairs = zip(*(self._lines(name) for name in files), strict=False)
        named = [(url[23:].replace("/", "_"), text.rstrip(" ")) for url, text in pairs]  # after the host of Flickr
        return [pair for pair in named if pair[0] in there]

    def _read(self, name: str, text: str) -> Row:
        return self._picture(self._at("sbu_images", name)), np.array(text)


class LFWDataset(StoredDataset):
    """Gives the faces of LFW with the number of the person (uint32), or pairs of faces and whether both are one person (uint32).

    Args:
        dataset_dir (str): The folder with ``lfw_funneled`` and so on, ``people.txt``, ``pairs.txt`` and so on.
        task (str, optional): ``'people'`` or ``'pairs'``. Default: ``None``, ``'people'``.
        usage (str, optional): ``'10fold'``, ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, train and test.
        image_set (str, optional): ``'original'``, ``'funneled'`` or ``'deepfunneled'``. Default: ``None``, ``'funneled'``.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.LFWDataset(tempfile.mkdtemp(), "places")
        Traceback (most recent call last):
            ...
        ValueError: LFWDataset: task must be one of ['people', 'pairs'], got 'places'.
    """

    _choices = {"task": ("people", "pairs"), "usage": ("all", "10fold", "train", "test"),
                "image_set": ("funneled", "original", "deepfunneled")}  # fmt: skip

    def __init__(
        self, dataset_dir: str, task: str | None = None, usage: str | None = None, image_set: str | None = None,
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None,
        decode: bool = False, sampler: object = None, num_shards: int | None = None, shard_id: int | None = None,
        cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode,
            task=task, usage=usage, image_set=image_set,
        )  # fmt: skip

    def _find(self, task: str, usage: str, image_set: str) -> Sequence[Any]:
        self._folder = {"original": "lfw", "funneled": "lfw_funneled"}.get(image_set, "lfw-deepfunneled")
        files = {"10fold": ("",), "train": ("DevTrain",), "test": ("DevTest",)}.get(usage, ("DevTrain", "DevTest"))
        rows = [line.split() for file in files for line in self._lines(f"{task}{file}.txt")]
        if task == "pairs":
            self._names = ("image1", "image2", "label")
            pairs = [row for row in rows if len(row) > 2]  # the other lines say how many follow
            return [
                ((row[0], row[1]), (row[-2] if len(row) == 4 else row[0], row[-1]), int(len(row) == 3)) for row in pairs
            ]
        numbers = {line.split()[0]: label for label, line in enumerate(self._lines("lfw-names.txt"))}
        people = [row for row in rows if len(row) == 2]
        return [((name, k), numbers[name]) for name, count in people for k in range(1, int(count) + 1)]

    def _read(self, *entry: Any) -> Row:
        faces = (self._at(self._folder, name, f"{name}_{int(number):04}.jpg") for name, number in entry[:-1])
        return *map(self._picture, faces), np.array(entry[-1], np.uint32)


class PhotoTourDataset(StoredDataset):
    """Gives the patches (uint8, ``(64, 64, 1)``) of a PhotoTour set; of the test, pairs and whether they match (uint32).

    Args:
        dataset_dir (str): The folder with ``liberty``, ``notredame`` and so on.
        name (str): ``'notredame'``, ``'yosemite'``, ``'liberty'``, or one of them and ``'_harris'``.
        usage (str, optional): ``'train'`` or ``'test'``. Default: ``None``, ``'train'``.

    The other arguments and the errors are those of `MnistDataset`.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.PhotoTourDataset(tempfile.mkdtemp(), "paris")
        Traceback (most recent call last):
            ...
        ValueError: PhotoTourDataset: name must be one of [...], got 'paris'.
    """

    _choices = {"usage": ("train", "test")}
    _scenes = ("notredame", "yosemite", "liberty", "notredame_harris", "yosemite_harris", "liberty_harris")
    _labelled = True

    def __init__(
        self, dataset_dir: str, name: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, sampler: object = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        self.name = checks.chosen("PhotoTourDataset", "name", name, self._scenes)
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, usage=usage
        )
        self._sheet = lru_cache(8)(self._whole)

    def _find(self, usage: str) -> Sequence[Any]:
        self._sheets = self._listed(self.name, ending=".bmp")
        if usage == "train":
            self._names = ("image",)
            return [(k, int(line.split()[0])) for k, line in enumerate(self._lines(self.name, "info.txt"))]
        self._names = ("image1", "image2", "matches")
        rows = [line.split() for line in self._lines(self.name, "m50_100000_100000_0.txt")]
        return [(int(row[0]), int(row[3]), int(row[1] == row[4])) for row in rows]

    def _whole(self, number: int) -> np.ndarray:
        raw = self._bytes(self._at(self.name, self._sheets[number]))
        return decoded(np.frombuffer(raw, np.uint8), "L")

    def _patch(self, number: int) -> np.ndarray:
        """Return a patch of 64 x 64; a sheet has 16 rows of 16."""
        sheet, rest = divmod(number, 256)
        row, column = (64 * k for k in divmod(rest, 16))
        return self._sheet(sheet)[row : row + 64, column : column + 64, None].copy()

    def _read(self, *entry: int) -> Row:
        if len(entry) == 2:
            return (self._patch(entry[0]),)
        return self._patch(entry[0]), self._patch(entry[1]), np.array(entry[2], np.uint32)
