"""MNIST as MindRecord files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from sporax._src.base.errors import shown
from sporax._src.data.converters.batches import HEADER_SIZE, PAGE_SIZE, check_partitions, write_rows
from sporax._src.data.converters.names import check_name
from sporax._src.data.converters.status import SUCCESS, MSRStatus
from sporax._src.data.mindrecord.writer import FileWriter
from sporax._src.data.sources.mnist_cifar import read_idx
from sporax._src.data.vision.files import encode_jpeg

_QUALITY = 95  # the default of OpenCV, with which MindSpore encodes


class MnistToMR:
    """Writes MNIST as MindRecord: ``label`` (int64), ``data`` (bytes of a JPEG file).

    Args:
        source (str): The folder with ``train-images-idx3-ubyte.gz``, ``t10k-labels-idx1-ubyte.gz`` and so on.
        destination (str): The beginning of the files' names; they end in ``_train.mindrecord`` and ``_test.mindrecord``.
        partition_number (int): The number of files of each. Default: ``1``.

    Raises:
        ParamValueError: If an argument is not a path, or `partition_number` out of [1, 1000].
        ValueError: If `partition_number` is not an int.

    Examples:
        >>> import gzip, os, tempfile
        >>> from sporax.mindrecord import FileReader, MnistToMR
        >>> folder = tempfile.mkdtemp()
        >>> for part in ("train", "t10k"):
        ...     for kind, size in (("images-idx3", [1, 28, 28]), ("labels-idx1", [1])):
        ...         head = bytes([0, 0, 8, len(size)]) + b"".join(n.to_bytes(4, "big") for n in size)
        ...         with gzip.open(os.path.join(folder, f"{part}-{kind}-ubyte.gz"), "wb") as file:
        ...             _ = file.write(head + bytes(784 if len(size) > 1 else 1))
        >>> MnistToMR(folder, os.path.join(folder, "mnist")).transform()
        >>> FileReader(os.path.join(folder, "mnist_train.mindrecord")).len()
        1
    """

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        self.source = check_name("source", source)
        check_name("destination", destination)
        self.partition_number = check_partitions("MnistToMR", partition_number)
        self.writer_train = FileWriter(f"{destination}_train.mindrecord", partition_number)
        self.writer_test = FileWriter(f"{destination}_test.mindrecord", partition_number)

    def run(self) -> MSRStatus:
        """Write the files for training and those of the test.

        Raises:
            FileNotFoundError: If a file of the data set is missing.
            RuntimeError: If one is damaged, or a file to write exists.
        """
        for part, writer in (("train", self.writer_train), ("t10k", self.writer_test)):
            writer.set_header_size(HEADER_SIZE)
            writer.set_page_size(PAGE_SIZE)
            writer.add_schema({"label": {"type": "int64"}, "data": {"type": "bytes"}}, "mnist_schema")
            writer.add_index(["label"])
            write_rows(writer, self._rows(part))
        return SUCCESS

    def _rows(self, part: str) -> Iterator[dict[str, Any]]:
        names = [os.path.join(self.source, f"{part}-{kind}-ubyte.gz") for kind in ("images-idx3", "labels-idx1")]
        images, labels = read_idx(names[0], 3), read_idx(names[1], 1)
        if len(images) != len(labels):
            raise RuntimeError(
                f"MnistToMR: {shown(names[0])} has {len(images)} images, and there are {len(labels)} labels."
            )
        for image, label in zip(images, labels.tolist(), strict=True):
            yield {"label": label, "data": encode_jpeg(image, _QUALITY).tobytes()}

    def transform(self) -> None:
        """Do what `run` does."""
        self.run()
