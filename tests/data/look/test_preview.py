"""Pictures of batches."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sporax.dataset as ds


def images(shape: tuple[int, ...] = (8, 8, 3), dtype: type = np.uint8) -> ds.Dataset:
    return ds.NumpySlicesDataset({"label": np.arange(6), "image": np.full((6, *shape), 255, dtype)}, shuffle=False)


@pytest.mark.parametrize(
    "data",
    [
        images(),
        images().batch(4),
        images((8, 8)).batch(4),
        images((1, 8, 8), np.float32).batch(4),
        images((3, 8, 8), np.float64),
        images((8, 8, 4)),
    ],
)
def test_pictures_of_every_layout(data: ds.Dataset, tmp_path: Path) -> None:
    data.preview(tmp_path / "batch.png", rows=5)
    drawn = np.asarray(Image.open(tmp_path / "batch.png").convert("L"))
    assert drawn.shape[0] > 100 and drawn.min() < 100 < drawn.max()  # titles are black


def test_titles_are_names_of_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.axes import Axes

    titles: list[str] = []
    monkeypatch.setattr(Axes, "set_title", lambda self, text, **_: titles.append(text))
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
        Image.new("RGB", (4, 4)).save(tmp_path / name / "0.png")
    ds.ImageFolderDataset(str(tmp_path), shuffle=False, decode=True).preview(tmp_path / "a.png")
    images().preview(str(tmp_path / "b.svg"), 2, image="image")
    assert titles == ["cat", "dog", "0", "1"]


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.png"
    with pytest.raises(ValueError, match=r"Dataset\.preview: rows must be in"):
        images().preview(path, 0)
    with pytest.raises(RuntimeError, match=r"Dataset\.preview: column 'x' does not exist"):
        images().preview(path, image="x")
    with pytest.raises(RuntimeError, match=r"expected a column of pictures .*; a row has a int64\[\]"):
        ds.NumpySlicesDataset({"a": np.arange(3)}).preview(path)
    with pytest.raises(RuntimeError, match=r"Dataset\.preview: the dataset has no rows"):
        images().filter(lambda label: label > 9, "label").preview(path)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(
        RuntimeError, match=r"Dataset.preview needs the package matplotlib \(pip install 'sporax\[plot\]'\)"
    ):
        images().preview(path)
