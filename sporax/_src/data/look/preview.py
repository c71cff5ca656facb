"""preview: a picture of the first rows of a pipeline, drawn by matplotlib."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, as_method
from sporax._src.data.iteration import Run

_WIDE = 4  # pictures beside one another


@as_method
def preview(self: Dataset, filename: str | os.PathLike[str], rows: int = 16, *, image: str | None = None) -> None:
    """Draw the pictures of a batch, or of the first rows, with the other columns as titles, and write them to a file.

    Args:
        filename (str): The file, such as ``"batch.png"``; its ending says the format.
        rows (int): How many pictures there are at most. Default: ``16``.
        image (str, optional): The column with the pictures. Default: the first column of pictures.

    Pictures are ``(H, W)``, ``(H, W, C)`` or ``(C, H, W)``; floats are spread from their least to their greatest value.
    Classes have the names that the source gives them.

    Raises:
        TypeError: If `rows` is not an int.
        ValueError: If `rows` is not positive.
        RuntimeError: If there is no such column, no column holds pictures, there are no rows, or the package matplotlib is missing.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset({"image": np.zeros((5, 8, 8, 3), np.uint8), "label": [0, 1, 2, 3, 4]}).batch(4)
        >>> data.preview(os.path.join(tempfile.mkdtemp(), "batch.png"))
    """
    where = "Dataset.preview"
    checks.integer(where, "rows", rows, 1)
    names = self.get_col_names()
    shown_rows = _first(self, rows)
    if not shown_rows:
        raise RuntimeError(f"{where}: the dataset has no rows.")
    if image is not None:
        position = checks.positions(where, [image], names)[0]
    else:
        position = next((k for k, value in enumerate(shown_rows[0]) if _picture(value) is not None), -1)
    pictures = [_picture(row[position]) for row in shown_rows] if position >= 0 else [None]
    if any(picture is None for picture in pictures):
        found = ", ".join(f"{name} {describe(value)}" for name, value in zip(names, shown_rows[0], strict=True))
        raise RuntimeError(f"{where}: expected a column of pictures (H, W), (H, W, C) or (C, H, W); a row has {found}.")
    labels = {number: name for name, number in self.get_class_indexing().items() if isinstance(number, int)}
    others = [[_title(v, labels) for k, v in enumerate(row) if k != position] for row in shown_rows]
    _draw(where, filename, pictures, ["  ".join(filter(None, titles)) for titles in others])


def _first(dataset: Dataset, count: int) -> list[tuple[Any, ...]]:
    """Return single rows: those of the first batch, or the first ones."""
    found: list[tuple[Any, ...]] = []
    batched = dataset.get_batch_size() != 1
    for row in dataset._rows(Run(dataset, 0), 0):
        found += zip(*row, strict=True) if batched else [row]
        if batched or len(found) == count:
            break
    return found[:count]


def _picture(value: object) -> np.ndarray | None:
    """Return a value as a picture, ``(H, W)`` or ``(H, W, 3)``, with values from 0 to 1; None if it is none."""
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" or array.ndim not in (2, 3):
        return None
    if array.ndim == 3 and array.shape[2] not in (1, 3, 4):
        if array.shape[0] not in (1, 3, 4):
            return None
        array = array.transpose(1, 2, 0)
    array = array[..., 0] if array.ndim == 3 and array.shape[2] == 1 else array
    if array.dtype == np.uint8:
        return array / 255
    low, high = float(array.min(initial=0)), float(array.max(initial=0))
    return (array - low) / (high - low) if high > low else array * 0.0


def _title(value: object, labels: dict[int, str]) -> str:
    array = np.asarray(value)
    if array.ndim:
        return ""
    item = array.item()
    return shown(labels.get(item, item) if isinstance(item, int) else item, 30)


def _draw(where: str, filename: str | os.PathLike[str], pictures: list[Any], titles: list[str]) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise RuntimeError(f"{where} needs the package matplotlib (pip install 'sporax[plot]'): {error}.") from error
    wide = min(_WIDE, len(pictures))
    high = math.ceil(len(pictures) / wide)
    figure = Figure(figsize=(2 * wide, 2.2 * high), layout="tight")
    for number, (picture, title) in enumerate(zip(pictures, titles, strict=True), 1):
        axes = figure.add_subplot(high, wide, number)
        axes.imshow(picture, cmap="gray", vmin=0, vmax=1)
        axes.set_title(title, fontsize=9)
        axes.set_axis_off()
    figure.savefig(filename)
