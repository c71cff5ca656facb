"""ImageNet, a folder of pictures for each class, as MindRecord files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from sporax._src.base.errors import shown, warn_user
from sporax._src.data.converters.batches import HEADER_SIZE, PAGE_SIZE, check_partitions, write_rows
from sporax._src.data.converters.names import check_name
from sporax._src.data.converters.status import SUCCESS, MSRStatus
from sporax._src.data.mindrecord.errors import PathNotExistsError
from sporax._src.data.mindrecord.writer import FileWriter

_SCHEMA = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}


class ImageNetToMR:
    """Writes folders of JPEG files as MindRecord: ``file_name`` (string), ``image`` (bytes of the file), ``label`` (int32).

    Args:
        map_file (str): A text of lines ``n01440764 0``: the folder of a class, and its label.
        image_dir (str): The folder that contains the folders of the classes.
        destination (str): The file; of several, the number of each is appended.
        partition_number (int): How many files share the records, 256 neighbours at a time. Default: ``1``.

    Raises:
        ParamValueError: If an argument is not a path, or `partition_number` out of [1, 1000].
        ValueError: If `partition_number` is not an int.

    Examples:
        >>> import os, tempfile
        >>> from sporax.mindrecord import FileReader, ImageNetToMR
        >>> folder = tempfile.mkdtemp()
        >>> os.mkdir(os.path.join(folder, "n01440764"))
        >>> with open(os.path.join(folder, "n01440764", "a.JPEG"), "wb") as file:
        ...     _ = file.write(b"picture")
        >>> with open(os.path.join(folder, "map.txt"), "w") as file:
        ...     _ = file.write("n01440764 7")
        >>> path = os.path.join(folder, "a.mindrecord")
        >>> ImageNetToMR(os.path.join(folder, "map.txt"), folder, path).transform()
        >>> [(record["label"], record["image"]) for record in FileReader(path).get_next()]
        [(7, b'picture')]
    """

    def __init__(self, map_file: str, image_dir: str, destination: str, partition_number: int = 1) -> None:
        self.map_file = check_name("map_file", map_file)
        self.image_dir = check_name("image_dir", image_dir)
        self.destination = check_name("destination", destination)
        self.partition_number = check_partitions("ImageNetToMR", partition_number)
        self.writer = FileWriter(self.destination, self.partition_number)

    def run(self) -> MSRStatus:
        """Write the files: class by class in the order of `map_file`, the pictures of a class in order of their names.

        Files that are neither ``*.JPEG`` nor ``*.jpg``, or empty, are left out with a warning, and so are classes
        without a folder.

        Raises:
            FileNotFoundError: If `map_file` is missing.
            ValueError: If one of its lines is not a folder and label.
            PathNotExistsError: If no class has a folder.
            RuntimeError: If a file to write exists.
        """
        self.writer.set_header_size(HEADER_SIZE)
        self.writer.set_page_size(PAGE_SIZE)
        self.writer.add_schema(_SCHEMA, "imagenet_schema")
        self.writer.add_index(["label", "file_name"])
        write_rows(self.writer, self._rows(), True)
        return SUCCESS

    def _classes(self) -> dict[int, str]:
        """Return the folder of each label."""
        folders: dict[int, str] = {}
        with open(self.map_file, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    folder, label = line.split()[:2]
                    folders[int(label)] = folder
                except ValueError:
                    raise ValueError(
                        f"ImageNetToMR: line {number} of {shown(self.map_file)} must be a folder and a label, "
                        f"got {shown(line.strip())!r}."
                    ) from None
        return folders

    def _rows(self) -> Iterator[dict[str, Any]]:
        folders = {label: os.path.join(self.image_dir, name) for label, name in self._classes().items()}
        for label, folder in list(folders.items()):
            if not os.path.isdir(folder):
                warn_user(f"ImageNetToMR: there is no folder {shown(folder)}; class {label} is left out.")
                del folders[label]
        if not folders:
            raise PathNotExistsError(
                f"{shown(self.image_dir)} has none of the folders that {shown(self.map_file)} names."
            )
        for label, folder in folders.items():
            for name in sorted(os.listdir(folder)):
                path = os.path.join(folder, name)
                image = b""
                if name.endswith(("JPEG", "jpg")):
                    with open(path, "rb") as file:
                        image = file.read()
                if image:
                    yield {"file_name": path, "label": label, "image": image}
                else:
                    warn_user(
                        f"ImageNetToMR: {shown(path)} is left out: it is empty, or is not a *.JPEG or *.jpg file."
                    )

    def transform(self) -> None:
        """Do what `run` does."""
        self.run()
