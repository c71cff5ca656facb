"""Sources of pictures with one label: folders of classes, and lists of pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.class_names import CALTECH, FLOWERS
from sporax._src.data.sources.mnist_cifar import lacking
from sporax._src.data.sources.stored import StoredDataset, matrices

_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp")


class _ClassesDataset(StoredDataset):
    """Base of the sources with a folder and `decode`; labels are the numbers of the class folders."""

    _labelled = True

    def __init__(
        self, dataset_dir: str, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None, decode: bool = False, sampler: object = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode
        )

    def _of_folders(self, folders: Sequence[str]) -> list[tuple[str, int]]:
        """Return the pictures of folders, each with the number of its folder."""
        return [
            (self._at(folder, name), label)
            for label, folder in enumerate(folders)
            for name in self._listed(folder)
            if name.lower().endswith(_ENDINGS)
        ]


class _PartsDataset(_ClassesDataset):
    """Base of the sources that also take a usage, one of `_choices`."""

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, decode: bool = False,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        StoredDataset.__init__(
            self, dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache,
            decode=decode, usage=usage,
        )  # fmt: skip


class Caltech101Dataset(StoredDataset):
    """Gives the pictures of Caltech 101, and their class (int64), the contour of the object (float64) or both.

    Args:
        dataset_dir (str): The folder with ``101_ObjectCategories`` and ``Annotations``.
        target_type (str, optional): ``'category'``, ``'annotation'``, which SciPy reads, or ``'all'``.
            Default: ``None``, the class.
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id: See `ImageFolderDataset`.

    The errors are those of `ImageFolderDataset`; a missing ``101_ObjectCategories`` is a FileNotFoundError.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> os.makedirs(os.path.join(folder, "101_ObjectCategories", "ant"))
        >>> with open(os.path.join(folder, "101_ObjectCategories", "ant", "image_0001.jpg"), "wb") as file:
        ...     _ = file.write(b"image")
        >>> ds.Caltech101Dataset(folder).output_shapes()
        [[5], []]
    """

    _choices = {"target_type": ("category", "annotation", "all")}

    def __init__(
        self, dataset_dir: str, target_type: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int = 1, shuffle: bool | Shuffle | None = None, decode: bool = False, sampler: object = None,
        num_shards: int | None = None, shard_id: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, decode=decode,
            target_type=target_type,
        )  # fmt: skip

    def _find(self, target_type: str) -> Sequence[Any]:
        self.target_type = target_type
        targets = ("category", "annotation") if target_type == "all" else (target_type,)
        self._names = ("image", *targets)
        folder = self._at("101_ObjectCategories")
        if not os.path.isdir(folder):
            raise lacking("Caltech101Dataset", self.dataset_dir, ["101_ObjectCategories"], FileNotFoundError)
        classes = sorted(name for name in os.listdir(folder) if name != "BACKGROUND_Google")
        return [
            (name, number, label)
            for label, name in enumerate(classes)
            if os.path.isdir(os.path.join(folder, name))
            for number in range(1, len(os.listdir(os.path.join(folder, name))) + 1)
        ]

    def _read(self, name: str, number: int, label: int) -> Row:
        row: Row = (self._picture(self._at("101_ObjectCategories", name, f"image_{number:04}.jpg")),)
        if "category" in self._names:
            row += (np.array(label, np.int64),)
        if "annotation" in self._names:
            renamed = {"Faces": "Faces_2", "Faces_easy": "Faces_3", "Motorbikes": "Motorbikes_16",
                       "airplanes": "Airplanes_Side_2"}  # fmt: skip
            path = self._at("Annotations", renamed.get(name, name), f"annotation_{number:04}.mat")
            row += (matrices(path)["obj_contour"],)
        return row

    def get_class_indexing(self) -> dict[str, int]:
        """Return the label of each of the 101 classes."""
        return {name: label for label, name in enumerate(CALTECH)}


class Caltech256Dataset(_ClassesDataset):
    """Gives the pictures of Caltech 256 and their class (int32).

    Args:
        dataset_dir (str): The folder of ``001.ak47`` and so on.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> os.mkdir(os.path.join(folder, "001.ak47"))
        >>> with open(os.path.join(folder, "001.ak47", "001_0001.jpg"), "wb") as file:
        ...     _ = file.write(b"image")
        >>> ds.Caltech256Dataset(folder).get_dataset_size()
        1
    """

    _expected = "pictures in a folder for each class, such as 001.ak47"

    def _find(self) -> Sequence[Any]:
        return self._of_folders(self._listed(folders=True))

    def _read(self, path: str, label: int) -> Row:
        return self._picture(path), np.array(label, np.int32)


class Food101Dataset(_PartsDataset):
    """Gives the pictures of Food-101 and their class as text.

    Args:
        dataset_dir (str): The folder with ``images`` and ``meta``.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.Food101Dataset, ds.MappableDataset)
        True
    """

    _choices = {"usage": ("all", "train", "test")}
    _labelled = False

    def _find(self, usage: str) -> Sequence[Any]:
        parts = ("train", "test") if usage == "all" else (usage,)
        self._listed("images", folders=True)
        return [(name,) for part in parts for name in self._lines("meta", f"{part}.txt") if name]

    def _read(self, name: str) -> Row:
        return self._picture(self._at("images", f"{name}.jpg")), np.array(name.rpartition("/")[0])


class Flowers102Dataset(StoredDataset):
    """Gives the pictures of Oxford's 102 flowers, masks of the flowers if asked for, and labels (uint32).

    Args:
        dataset_dir (str): The folder with ``imagelabels.mat`` and ``setid.mat``, which SciPy reads, ``jpg`` and
            ``segmim``.
        task (str): ``'Classification'`` or ``'Segmentation'``. Default: ``'Classification'``.
        usage (str): ``'train'``, ``'valid'``, ``'test'`` or ``'all'``. Default: ``'all'``.
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id: See `ImageFolderDataset`.

    The errors are those of `ImageFolderDataset`; missing files and folders are a ValueError.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.Flowers102Dataset(tempfile.mkdtemp(), "Detection")
        Traceback (most recent call last):
            ...
        ValueError: Flowers102Dataset: task must be one of ['Classification', 'Segmentation'], got 'Detection'.
    """

    _choices = {"task": ("Classification", "Segmentation"), "usage": ("all", "train", "valid", "test")}

    def __init__(
        self, dataset_dir: str, task: str = "Classification", usage: str = "all", num_samples: int | None = None,
        num_parallel_workers: int = 1, shuffle: bool | Shuffle | None = None, decode: bool = False, sampler: object = None,
        num_shards: int | None = None, shard_id: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, decode=decode,
            task=task, usage=usage,
        )  # fmt: skip

    def _find(self, task: str, usage: str) -> Sequence[Any]:
        labels, parts = (checks.file("Flowers102Dataset", self._at(f"{name}.mat")) for name in ("imagelabels", "setid"))
        if task == "Segmentation":
            self._names = ("image", "segmentation", "label")
        named = {"train": "trnid", "test": "tstid", "valid": "valid"}
        ids, numbers = matrices(parts), matrices(labels)["labels"][0]
        wanted = named.values() if usage == "all" else (named[usage],)
        return [(int(k), int(numbers[k - 1]) - 1) for part in wanted for k in ids[part][0].astype(int)]

    def _read(self, number: int, label: int) -> Row:
        folders = ("jpg/image", "segmim/segmim")[: len(self._names) - 1]
        return *(self._picture(self._at(f"{start}_{number:05}.jpg")) for start in folders), np.array(label, np.uint32)

    def get_class_indexing(self) -> dict[str, int]:
        """Return the label of each of the 102 classes."""
        return {name: label for label, name in enumerate(FLOWERS)}


class LSUNDataset(StoredDataset):
    """Gives the pictures of LSUN and the number of their folder (uint32).

    Args:
        dataset_dir (str): The folder with ``bedroom_train``, ``bedroom_val`` and so on, and ``test``.
        usage (str, optional): ``'train'``, ``'valid'``, ``'test'`` or ``'all'``, which leaves out the test.
            Default: ``None``, all.
        classes (list[str], optional): The classes to give. Default: ``None``, all.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.LSUNDataset(tempfile.mkdtemp(), classes=["garden"])
        Traceback (most recent call last):
            ...
        ValueError: LSUNDataset: classes must be one of [...], got 'garden'.
    """

    _choices = {"usage": ("all", "train", "test", "valid")}
    _labelled = True
    _kinds = ("bedroom", "bridge", "church_outdoor", "classroom", "conference_room", "dining_room", "kitchen",
              "living_room", "restaurant", "tower")  # fmt: skip

    def __init__(
        self, dataset_dir: str, usage: str | None = None, classes: list[str] | None = None,
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None,
        decode: bool = False, sampler: object = None, num_shards: int | None = None, shard_id: int | None = None,
        cache: object = None,
    ) -> None:  # fmt: skip
        if classes is not None and not isinstance(classes, list):
            raise TypeError(f"LSUNDataset: classes must be a list of str, got {describe(classes)}.")
        self.classes = [checks.chosen("LSUNDataset", "classes", name, self._kinds) for name in classes or self._kinds]
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode,
            usage=usage,
        )  # fmt: skip

    _expected = "pictures in folders such as bedroom_train"

    def _find(self, usage: str) -> Sequence[Any]:
        endings = {"train": ("train",), "valid": ("val",), "all": ("train", "val"), "test": ()}[usage]
        wanted = ["test"] if usage == "test" else [f"{name}_{end}" for name in self.classes for end in endings]
        folders = [name for name in self._listed(folders=True) if name in wanted]
        return [
            (self._at(folder, name), label) for label, folder in enumerate(folders) for name in self._listed(folder)
        ]

    def num_classes(self) -> int:
        """Return the number of classes that have folders."""
        return len({os.path.basename(os.path.dirname(path)).rpartition("_")[0] for path, _ in self._entries})


class OmniglotDataset(_ClassesDataset):
    """Gives the pictures of the Omniglot characters and the number of the character (int32).

    Args:
        dataset_dir (str): The folder with ``images_background`` and ``images_evaluation``.
        background (bool, optional): Whether to read ``images_background``. Default: ``None``, yes.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.OmniglotDataset, ds.MappableDataset)
        True
    """

    def __init__(
        self, dataset_dir: str, background: bool | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, decode: bool = False,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        self.background = True if background is None else background
        checks.boolean("OmniglotDataset", "background", self.background)
        super().__init__(
            dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id, cache
        )

    def _find(self) -> Sequence[Any]:
        top = "images_background" if self.background else "images_evaluation"
        alphabets = [os.path.join(top, alphabet) for alphabet in self._listed(top, folders=True)]
        return self._of_folders([os.path.join(a, name) for a in alphabets for name in self._listed(a, folders=True)])

    def _read(self, path: str, label: int) -> Row:
        return self._picture(path), np.array(label, np.int32)

    def num_classes(self) -> int:
        """Return the number of characters."""
        return len({label for _, label in self._entries})


class Places365Dataset(StoredDataset):
    """Gives the pictures of Places365 and their class (uint32).

    Args:
        dataset_dir (str): The folder with ``places365_train_standard.txt``, ``data_256_standard`` and so on.
        usage (str, optional): ``'train-standard'``, ``'train-challenge'`` or ``'val'``. Default: ``None``, ``'train-standard'``.
        small (bool): Whether to read the pictures of 256 x 256 and not the large ones. Default: ``True``.
        decode (bool): Whether to give RGB images instead of the bytes of the files. Default: ``False``.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.Places365Dataset, ds.MappableDataset)
        True
    """

    _choices = {"usage": ("train-standard", "train-challenge", "val")}
    _labelled = True

    def __init__(
        self, dataset_dir: str, usage: str | None = None, small: bool = True, decode: bool = False,
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        checks.boolean("Places365Dataset", "small", small)
        self.small = small
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode,
            usage=usage,
        )  # fmt: skip

    def _find(self, usage: str) -> Sequence[Any]:
        kind = usage.partition("-")[2]
        size = "256" if self.small else "large"
        folder = f"data_{size}_{kind}" if kind else f"val_{size}"
        rows = [line.split() for line in self._lines(f"places365_{usage.replace('-', '_')}.txt") if line.strip()]
        if any(len(row) != 2 or not row[1].isdecimal() for row in rows):
            raise RuntimeError(f"Places365Dataset: a line of the list of {usage} is not a path and a number.")
        return [(self._at(folder, path.lstrip("/")), int(label)) for path, label in rows]


class RenderedSST2Dataset(_PartsDataset):
    """Gives the rendered sentences of SST-2, and 1 (uint32) for the positive ones, 0 for the negative.

    Args:
        dataset_dir (str): The folder with ``train/negative``, ``train/positive`` and so on.
        usage (str, optional): ``'train'``, ``'val'``, ``'test'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.RenderedSST2Dataset, ds.MappableDataset)
        True
    """

    _choices = {"usage": ("all", "val", "train", "test")}

    def _find(self, usage: str) -> Sequence[Any]:
        parts = ("test", "train", "valid") if usage == "all" else ({"val": "valid"}.get(usage, usage),)
        return [entry for part in parts for entry in self._of_folders([f"{part}/negative", f"{part}/positive"])]

    def num_classes(self) -> int:
        """Return the number of classes."""
        return 2


class SUN397Dataset(_ClassesDataset):
    """Gives the pictures of SUN397 and their class (uint32), the number of its line in ``ClassName.txt``.

    Args:
        dataset_dir (str): The folder with ``ClassName.txt`` and the folders it names.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.SUN397Dataset, ds.MappableDataset)
        True
    """

    def _find(self) -> Sequence[Any]:
        numbers = {name: label for label, name in enumerate(self._lines("ClassName.txt"))}
        return [
            (self._at(folder.lstrip("/"), name), numbers[folder])
            for folder in sorted(numbers)
            for name in self._listed(folder.lstrip("/"), ending=".jpg")
            if name.startswith("sun_")
        ]


class ManifestDataset(StoredDataset):
    """Gives the pictures that a manifest lists, one JSON object a line, and their labels (int32; a vector if there are several).

    Args:
        dataset_file (str): The manifest.
        usage (str): The usage of the pictures to give, such as ``'train'``, ``'eval'`` or ``'inference'``.
            Default: ``'train'``.
        class_indexing (dict, optional): From name to label; pictures without one of them are left out. Default:
            ``None``, names are numbered in order.

    The other arguments and the errors are those of `ImageFolderDataset`; a line without source or usage is a
    RuntimeError.

    Examples:
        >>> import json, os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> source, path = os.path.join(folder, "0.bmp"), os.path.join(folder, "all.manifest")
        >>> with open(source, "wb") as file:
        ...     _ = file.write(b"BM...")
        >>> with open(path, "w") as file:
        ...     json.dump({"source": source, "usage": "TRAIN", "annotation": [{"name": "cat"}]}, file)
        >>> ds.ManifestDataset(path).get_class_indexing()
        {'cat': 0}
    """

    def __init__(
        self, dataset_file: str, usage: str = "train", num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, sampler: object = None,
        class_indexing: dict[str, int] | None = None, decode: bool = False, num_shards: int | None = None,
        shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        if not isinstance(usage, str):
            raise TypeError(f"ManifestDataset: usage must be a str, got {describe(usage)}.")
        if class_indexing is not None and not isinstance(class_indexing, dict):
            raise TypeError(f"ManifestDataset: class_indexing must be a dict, got {describe(class_indexing)}.")
        self.dataset_file, self.usage = checks.file("ManifestDataset", dataset_file), usage
        self._classes = dict(class_indexing or {})
        super().__init__(
            os.path.dirname(self.dataset_file) or ".", num_parallel_workers, sampler, num_samples, shuffle, num_shards,
            shard_id, cache, decode=decode,
        )  # fmt: skip

    def _find(self) -> Sequence[Any]:
        entries = []
        for number, line in enumerate(self._bytes(self.dataset_file).splitlines()):
            try:
                item = parse_json(line)
                source, usage = item["source"], item["usage"]
                names = [note["name"] for note in item["annotation"]]
            except (KeyError, TypeError, ValueError) as error:
                raise RuntimeError(
                    f"ManifestDataset: line {number} of {shown(self.dataset_file)}: {shown(repr(error))}."
                ) from error
            if self._bytes(source)[:3].startswith((b"\xff\xd8\xff", b"\x89PN", b"GIF", b"BM")):
                entries.append((source, usage.lower(), names))
        self._class_count = len({name for _, usage, names in entries if usage == self.usage for name in names})
        if not self._classes:
            used = {name for _, usage, names in entries if usage == self.usage for name in names}
            self._classes = {name: label for label, name in enumerate(sorted(used))}
        chosen = [
            (source, [self._classes[name] for name in names if name in self._classes])
            for source, usage, names in entries
            if usage == self.usage
        ]
        return [(source, labels) for source, labels in chosen if labels]

    def _read(self, path: str, labels: list[int]) -> Row:
        return self._picture(path), np.array(labels if len(labels) > 1 else labels[0], np.int32)

    def num_classes(self) -> int:
        """Return the number of classes."""
        return self._class_count

    def get_class_indexing(self) -> dict[str, int]:
        """Return the label of each class."""
        return dict(self._classes)
