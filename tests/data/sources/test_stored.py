"""The base of the sources that read a public data set from the files of its distribution."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sporax._src.data.sources.stored import StoredDataset, matrices


class Pictures(StoredDataset):
    """The pictures of a folder, labelled by their numbers."""

    _choices = {"usage": ("all", "first")}
    _labelled = True

    def __init__(self, folder: object, usage: str | None = None, **options: object) -> None:
        super().__init__(folder, None, None, None, False, None, None, usage=usage, **options)

    def _find(self, usage: str) -> list[tuple[str, int]]:
        names = self._listed(ending=".png")
        return [(self._at(name), i) for i, name in enumerate(names[: 1 if usage == "first" else None])]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, shade in (("b.png", 9), ("a.png", 5)):
        Image.fromarray(np.full((2, 3), shade, np.uint8)).save(tmp_path / name)
    (tmp_path / "notes.txt").write_bytes("one\nä".encode())
    (tmp_path / "sub").mkdir()
    return tmp_path


def _rows(data: StoredDataset) -> list[tuple[np.ndarray, ...]]:
    return [tuple(row) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def test_rows_are_bytes_or_pictures(folder: Path) -> None:
    stored = _rows(Pictures(str(folder)))
    assert [image.tobytes() for image, _ in stored] == [(folder / n).read_bytes() for n in ("a.png", "b.png")]
    assert [(label.item(), label.dtype) for _, label in stored] == [(0, np.uint32), (1, np.uint32)]
    decoded = _rows(Pictures(str(folder), "first", decode=True))
    assert [image.tolist() for image, _ in decoded] == [[[[5] * 3] * 3] * 2]


def test_a_function_decrypts_the_files(folder: Path) -> None:
    rows = _rows(Pictures(str(folder), decrypt=lambda path: Path(path).name.encode()))
    assert [image.tobytes() for image, _ in rows] == [b"a.png", b"b.png"]


def test_files_by_the_parts_of_their_paths(folder: Path) -> None:
    data = Pictures(str(folder))
    assert data._lines("notes.txt") == ["one", "ä"]
    assert data._listed(folders=True) == ["sub"]
    with pytest.raises(RuntimeError, match=r"^Pictures: .*none is not a folder\.$"):
        data._listed("none")
    with pytest.raises(RuntimeError, match=r"^Pictures: .*a\.png is not text in UTF-8"):
        data._lines("a.png")
    with pytest.raises(RuntimeError, match=r"^Pictures: .*absent cannot be read: "):
        data._bytes(data._at("absent"))


def test_wrong_arguments(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"^Pictures: usage must be one of \['all', 'first'\], got 'last'\.$"):
        Pictures(str(folder), "last")
    with pytest.raises(TypeError, match=r"^Pictures: decode must be a bool, got int 1\.$"):
        Pictures(str(folder), decode=1)
    with pytest.raises(NotImplementedError, match="StoredDataset must define _find"):
        StoredDataset(str(folder), None, None, None, None, None, None)


def test_arrays_of_a_file_of_matlab(tmp_path: Path) -> None:
    from scipy.io import savemat

    savemat(tmp_path / "a.mat", {"x": np.arange(3)})
    assert matrices(str(tmp_path / "a.mat"))["x"].tolist() == [[0, 1, 2]]
