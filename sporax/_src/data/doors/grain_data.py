"""Datasets and loaders of Grain."""

from __future__ import annotations

from typing import Any

from sporax._src.data.doors.kept import Foreign, IndexedDataset, Names, Selection, StreamDataset


def of_map(source: Foreign, column_names: Names, selection: Selection) -> IndexedDataset:
    """Return the rows of a MapDataset."""
    return _MapDataset(source, column_names, selection)


def of_iterable(source: Foreign, column_names: Names, selection: Selection) -> StreamDataset:
    """Return the rows of an IterDataset or a DataLoader, which begins anew in each epoch."""
    return StreamDataset(source, column_names, selection)


class _MapDataset(IndexedDataset):
    """Gives the rows of a MapDataset, in which a filter leaves holes."""

    def _value(self, index: int) -> Any:
        value = super()._value(index)
        if value is None:
            raise RuntimeError(
                f"{self._where}: row {index} was filtered out, and rows of a MapDataset keep their numbers; "
                "hand over its to_iter_dataset()."
            )
        return value
