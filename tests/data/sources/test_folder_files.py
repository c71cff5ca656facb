"""Sources that read the files of a folder from front to back."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sporax._src.data.sources.folder_files import FolderFilesDataset


class Lines(FolderFilesDataset):
    """The lines of the files of a folder."""

    _usages = {"train": ("b.txt",), "test": ("a.txt", "c.txt")}

    def _read(self, path: str) -> Iterator[tuple[np.ndarray]]:
        for line in Path(path).read_text().splitlines():
            yield (np.array(line),)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{name}1\n{name}2\n")
    return tmp_path


def _rows(data: Lines) -> list[str]:
    return [str(text) for (text,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize(
    "usage, names",
    [("train", "b"), ("test", "ac"), ("all", "bac"), (None, "bac")],
    ids=["train", "test", "all", "none"],
)
def test_usage_chooses_the_files(folder: Path, usage: str | None, names: str) -> None:
    data = Lines(str(folder), usage, shuffle=False)
    assert data.get_col_names() == ["text"]
    assert _rows(data) == [f"{name}{i}" for name in names for i in (1, 2)]


def test_what_is_not_there(folder: Path) -> None:
    (folder / "c.txt").unlink()
    with pytest.raises(RuntimeError, match=r"^Lines: \['.*c\.txt'\] do not exist\.$"):
        Lines(str(folder), "test")
    with pytest.raises(ValueError, match=r"^Lines: usage must be one of \['all', 'train', 'test'\], got 'dev'\.$"):
        Lines(str(folder), "dev")
