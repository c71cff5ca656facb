"""Sources of pictures with boxes: COCO, VOC, KITTI, WIDER FACE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any
from xml.etree import ElementTree

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.stored import StoredDataset

_META = "_meta-filename"


def _column(values: Sequence[Any], kind: Any = np.uint32) -> np.ndarray:
    """Return numbers as a column; negative numbers wrap if `kind` is uint32, as in C++."""
    return np.array(values, np.int64 if kind == np.uint32 else kind).astype(kind)[:, None]


class CocoDataset(StoredDataset):
    """Gives the pictures of COCO and what `task` asks for.

    * ``'Detection'``: bbox (float32, ``(n, 4)``), category_id and iscrowd (uint32, ``(n, 1)``).
    * ``'Stuff'``: segmentation (float32, a row a polygon, filled up with -1), iscrowd.
    * ``'Keypoint'``: keypoints (float32, a row a person), num_keypoints (uint32).
    * ``'Panoptic'``: as the first, and area (uint32).
    * ``'Captioning'``: captions (text, ``(n, 1)``).

    Args:
        dataset_dir (str): The folder of the pictures.
        annotation_file (str): The JSON file of the annotations.
        task (str): As above. Default: ``'Detection'``.
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id, cache, decrypt: See
            `ImageFolderDataset`.
        extra_metadata (bool): Whether a last column ``_meta-filename`` has the names of the files without their
            endings; iterators give it under another name only, which `rename` gives it. Default: ``False``.

    The errors are those of `ImageFolderDataset`; annotations without a needed entry are a RuntimeError.

    Examples:
        >>> import json, os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> for name, value in {"9.jpg": "image", "all.json": json.dumps({
        ...     "images": [{"id": 9, "file_name": "9.jpg"}], "categories": [{"id": 3, "name": "dog"}],
        ...     "annotations": [{"id": 1, "image_id": 9, "category_id": 3, "bbox": [1, 2, 3, 4]}]})}.items():
        ...     with open(os.path.join(folder, name), "w") as file:
        ...         _ = file.write(value)
        >>> data = ds.CocoDataset(folder, os.path.join(folder, "all.json"))
        >>> data.get_class_indexing(), next(data.create_dict_iterator(1, output_numpy=True))["bbox"].tolist()
        ({'dog': [3]}, [[1.0, 2.0, 3.0, 4.0]])
    """

    _columns_of = {
        "Detection": ("image", "bbox", "category_id", "iscrowd"),
        "Stuff": ("image", "segmentation", "iscrowd"),
        "Keypoint": ("image", "keypoints", "num_keypoints"),
        "Panoptic": ("image", "bbox", "category_id", "iscrowd", "area"),
        "Captioning": ("image", "captions"),
    }
    _choices = {"task": tuple(_columns_of)}

    def __init__(
        self, dataset_dir: str, annotation_file: str, task: str = "Detection", num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, decode: bool = False,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
        extra_metadata: bool = False, decrypt: Callable[[str], bytes] | None = None,
    ) -> None:  # fmt: skip
        self.annotation_file = checks.file("CocoDataset", annotation_file)
        self.extra_metadata, self._categories = bool(extra_metadata), dict[str, list[int]]()
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode,
            decrypt=decrypt, task=task,
        )  # fmt: skip

    def _find(self, task: str) -> Sequence[Any]:
        self.task = task
        self._names = (*self._columns_of[task], _META) if self.extra_metadata else self._columns_of[task]
        try:
            with open(self.annotation_file, "rb") as file:
                content = parse_json(file.read())
            names = {image["id"]: image["file_name"] for image in content["images"]}
            if task in ("Detection", "Panoptic"):
                kind = ["isthing"] if task == "Panoptic" else []
                self._categories = {c["name"]: [c["id"], *(c[key] for key in kind)] for c in content["categories"]}
            known = {numbers[0] for numbers in self._categories.values()}
            notes: dict[str, list[tuple[Any, ...]]] = {}
            for note in content["annotations"]:
                name = names[note["image_id"]]
                for part in note["segments_info"] if task == "Panoptic" else [note]:
                    if task in ("Detection", "Panoptic") and part["category_id"] not in known:
                        raise KeyError(f"category_id {part['category_id']}")
                    notes.setdefault(name, []).append(getattr(self, f"_of_{task.lower()}")(part))
        except (KeyError, TypeError, ValueError) as error:
            raise RuntimeError(
                f"CocoDataset: {shown(self.annotation_file)} lacks an entry for the task {task}: {shown(repr(error))}."
            ) from error
        return [(name, notes[name]) for name in names.values() if name in notes]

    @staticmethod
    def _of_detection(note: dict[str, Any]) -> tuple[Any, ...]:
        return [note["bbox"]], note["category_id"], note.get("iscrowd", 0)

    @staticmethod
    def _of_panoptic(part: dict[str, Any]) -> tuple[Any, ...]:
        return [part["bbox"]], part["category_id"], part["iscrowd"], part["area"]

    @staticmethod
    def _of_stuff(note: dict[str, Any]) -> tuple[Any, ...]:
        shape = note["segmentation"]
        return [shape["counts"]] if note["iscrowd"] else shape, note["iscrowd"]

    @staticmethod
    def _of_keypoint(note: dict[str, Any]) -> tuple[Any, ...]:
        return [note["keypoints"]], note["num_keypoints"]

    @staticmethod
    def _of_captioning(note: dict[str, Any]) -> tuple[Any, ...]:
        return (note["caption"],)

    def _read(self, name: str, notes: list[tuple[Any, ...]]) -> Row:
        first, *numbers = zip(*notes, strict=True)
        row: Row = (self._picture(self._at(name)),)
        if self.task == "Captioning":
            row += (np.array(first)[:, None],)
        else:
            lists = list(chain.from_iterable(first))
            coordinates = np.full((len(lists), max(map(len, lists), default=0)), -1, np.float32)
            for k, values in enumerate(lists):
                coordinates[k, : len(values)] = values
            row += (coordinates, *map(_column, numbers))
        return (*row, np.array(name.partition(".")[0])) if self.extra_metadata else row

    def get_class_indexing(self) -> dict[str, list[int]]:
        """Return the number of each category; of a panoptic task also whether it is a thing.

        Raises:
            NotImplementedError: If the task is another one.
        """
        if self.task not in ("Detection", "Panoptic"):
            raise NotImplementedError(
                f"CocoDataset: only 'Detection' and 'Panoptic' have get_class_indexing, not {self.task!r}."
            )
        return {name: list(numbers) for name, numbers in self._categories.items()}


class VOCDataset(StoredDataset):
    """Gives the pictures of Pascal VOC, and segmentation masks or bounding boxes.

    The columns of ``'Detection'`` are image, bbox (float32, ``(n, 4)``: left, top, width, height), label, difficult and
    truncate (uint32, ``(n, 1)``).

    Args:
        dataset_dir (str): The folder with ``JPEGImages``, ``ImageSets`` and so on.
        task (str): ``'Segmentation'`` or ``'Detection'``. Default: ``'Segmentation'``.
        usage (str): The list in ``ImageSets/Segmentation`` or ``ImageSets/Main``. Default: ``'train'``.
        class_indexing (dict, optional): From name to label; other boxes are left out. Default: ``None``, names are
            numbered in order.
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id, cache, decrypt: See
            `ImageFolderDataset`.
        extra_metadata (bool): See `CocoDataset`.

    The errors are those of `ImageFolderDataset`; a missing list is a ValueError.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.VOCDataset(tempfile.mkdtemp(), "Parts")
        Traceback (most recent call last):
            ...
        ValueError: VOCDataset: task must be one of ['Segmentation', 'Detection'], got 'Parts'.
    """

    _choices = {"task": ("Segmentation", "Detection")}

    def __init__(
        self, dataset_dir: str, task: str = "Segmentation", usage: str = "train",
        class_indexing: dict[str, int] | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, decode: bool = False,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
        extra_metadata: bool = False, decrypt: Callable[[str], bytes] | None = None,
    ) -> None:  # fmt: skip
        if class_indexing is not None and not isinstance(class_indexing, dict):
            raise TypeError(f"VOCDataset: class_indexing must be a dict, got {describe(class_indexing)}.")
        if class_indexing is not None and task == "Segmentation":
            raise ValueError("VOCDataset: class_indexing is for the task 'Detection' only.")
        self.usage, self.extra_metadata = usage, bool(extra_metadata)
        self._classes = dict(class_indexing or {})
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode,
            decrypt=decrypt, task=task,
        )  # fmt: skip

    def _find(self, task: str) -> Sequence[Any]:
        self.task = task
        names = ("bbox", "label", "difficult", "truncate") if task == "Detection" else ("target",)
        self._names = ("image", *names, _META) if self.extra_metadata else ("image", *names)
        listed = self._at("ImageSets", "Main" if task == "Detection" else task, f"{self.usage}.txt")
        with open(checks.file("VOCDataset", listed), encoding="utf-8") as file:
            names = [line.rstrip("\r\n") for line in file]
        if task == "Segmentation":
            return [(name, None) for name in names]
        boxes_of = {name: self._boxes(self._at("Annotations", f"{name}.xml")) for name in names}
        if not self._classes:
            there = {box[0] for boxes in boxes_of.values() for box in boxes}
            self._classes = {name: label for label, name in enumerate(sorted(there))}
        selected = {name: [box for box in boxes if box[0] in self._classes] for name, boxes in boxes_of.items()}
        return [(name, selected[name]) for name in names if selected[name]]

    def _boxes(self, path: str) -> list[tuple[str, list[float], int, int]]:
        try:
            with open(path, "rb") as file:
                objects = ElementTree.parse(file).getroot().findall("object")
        except (OSError, ElementTree.ParseError) as error:
            raise RuntimeError(f"VOCDataset: {path} cannot be read: {error}.") from error
        boxes = []
        for item in objects:
            left, top, right, bottom = (
                float(item.findtext(f"bndbox/{s}") or 0) for s in ("xmin", "ymin", "xmax", "ymax")
            )
            if not (0 < left < right and 0 < top < bottom):
                raise RuntimeError(f"VOCDataset: {path} has a box from ({left}, {top}) to ({right}, {bottom}).")
            marks = (int(float(item.findtext(name) or 0)) for name in ("difficult", "truncated"))
            boxes.append((item.findtext("name") or "", [left, top, right - left, bottom - top], *marks))
        if not boxes:
            raise RuntimeError(f"VOCDataset: {path} has no objects.")
        return [box for box in boxes if box[0]]

    def _read(self, name: str, boxes: list[tuple[str, list[float], int, int]] | None) -> Row:
        row: Row = (self._picture(self._at("JPEGImages", f"{name}.jpg")),)
        if boxes is None:
            row += (self._picture(self._at("SegmentationClass", f"{name}.png")),)
        else:
            kinds, coordinates, *marks = zip(*boxes, strict=True)
            labels = [self._classes[kind] for kind in kinds]
            row += (np.array(coordinates, np.float32), *map(_column, (labels, *marks)))
        return (*row, np.array(name)) if self.extra_metadata else row

    def get_class_indexing(self) -> dict[str, int]:
        """Return the label of each class of boxes.

        Raises:
            NotImplementedError: If the task is ``'Segmentation'``.
        """
        if self.task != "Detection":
            raise NotImplementedError(f"VOCDataset: only 'Detection' has get_class_indexing, not {self.task!r}.")
        return dict(self._classes)


class _UsageDataset(StoredDataset):
    """Base of the sources with a folder, a usage and `decode`."""

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, decode: bool = False,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, decode=decode,
            usage=usage,
        )  # fmt: skip


class KITTIDataset(_UsageDataset):
    """Gives the pictures of KITTI and, of the train part, label, truncated, occluded, alpha, bbox, dimensions, location
    and rotation_y of the objects (float32, ``(n, k)``; label and occluded uint32).

    Args:
        dataset_dir (str): The folder with ``data_object_image_2`` and ``data_object_label_2``.
        usage (str, optional): ``'train'`` or ``'test'``. Default: ``None``, ``'train'``.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.KITTIDataset, ds.MappableDataset)
        True
    """

    _choices = {"usage": ("train", "test")}

    def _find(self, usage: str) -> Sequence[Any]:
        folder = ("data_object_image_2", "training" if usage == "train" else "testing", "image_2")
        names = [f"{k:06}" for k in range(len(self._listed(*folder)))]
        paths = [self._at(*folder, f"{name}.png") for name in names]
        if usage == "test":
            self._names = ("image",)
            return [(path, None) for path in paths]
        self._names = (
            "image",
            "label",
            "truncated",
            "occluded",
            "alpha",
            "bbox",
            "dimensions",
            "location",
            "rotation_y",
        )
        lists = [self._lines("data_object_label_2", "training", "label_2", f"{name}.txt") for name in names]
        rows = [[line.split() for line in lines] for lines in lists]
        if any(len(row) < 15 for row in chain.from_iterable(rows)):
            raise RuntimeError(f"KITTIDataset: an object below {self.dataset_dir} has fewer than 15 values.")
        kinds = sorted({row[0] for row in chain.from_iterable(rows)})
        self._kinds = {name: label for label, name in enumerate(kinds)}
        return [pair for pair in zip(paths, rows, strict=True) if pair[1]]

    def _read(self, path: str, rows: list[list[str]] | None) -> Row:
        if rows is None:
            return (self._picture(path),)
        values = np.array([[float(value) for value in row[1:15]] for row in rows], np.float32)
        truncated, occluded, alpha, bbox, dimensions, location, rotation = np.split(values, (1, 2, 3, 7, 10, 13), 1)
        return (self._picture(path), _column([self._kinds[row[0]] for row in rows]), truncated,
                occluded.astype(np.int64).astype(np.uint32), alpha, bbox, dimensions, location, rotation)  # fmt: skip


class WIDERFaceDataset(_UsageDataset):
    """Gives the pictures of WIDER FACE and, except in the test, these values of the faces (int32): bbox, blur,
    expression, illumination, occlusion, pose and invalid.

    Args:
        dataset_dir (str): The folder with ``WIDER_train``, ``WIDER_val``, ``WIDER_test`` and ``wider_face_split``.
        usage (str, optional): ``'train'``, ``'test'``, ``'valid'`` or ``'all'``, which leaves out the test.
            Default: ``None``, all.

    The other arguments and the errors are those of `ImageFolderDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.WIDERFaceDataset, ds.MappableDataset)
        True
    """

    _choices = {"usage": ("all", "train", "test", "valid")}

    def _find(self, usage: str) -> Sequence[Any]:
        if usage == "test":
            self._names = ("image",)
            names = self._lines("wider_face_split", "wider_face_test_filelist.txt")
            return [(self._at("WIDER_test", "images", name), None) for name in names]
        self._names = ("image", "bbox", "blur", "expression", "illumination", "occlusion", "pose", "invalid")
        parts = ("train", "val") if usage == "all" else ({"valid": "val"}.get(usage, usage),)
        return sorted(pair for part in parts for pair in self._faces(part))

    def _faces(self, part: str) -> list[tuple[str, list[list[int]]]]:
        lines, faces = iter(self._lines("wider_face_split", f"wider_face_{part}_bbx_gt.txt")), []
        try:
            for name in lines:
                count = max(int(next(lines)), 1)  # a picture without faces has one line of zeros
                rows = [[int(value) for value in next(lines).split()] for _ in range(count)]
                if any(len(row) != 10 for row in rows):
                    raise ValueError("ten numbers are a face")
                faces.append((self._at(f"WIDER_{part}", "images", name), rows))
        except (StopIteration, ValueError) as error:
            raise RuntimeError(f"WIDERFaceDataset: the list of {part} is broken: {error!r}.") from error
        return faces

    def _read(self, path: str, rows: list[list[int]] | None) -> Row:
        if rows is None:
            return (self._picture(path),)
        values = np.array(rows, np.int32)
        return (self._picture(path), values[:, :4].copy(), *(column.copy() for column in values[:, 4:].T))
