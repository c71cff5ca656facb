"""Datasets of Hugging Face's package datasets."""

from __future__ import annotations

import numpy as np

from sporax._src.data.doors.arrow import columns_of
from sporax._src.data.doors.kept import ColumnsDataset, Foreign, IndexedDataset, Names, Selection, StreamDataset


def of_splits(source: Foreign, column_names: Names, selection: Selection) -> IndexedDataset:
    """Refuse a dictionary of splits."""
    raise TypeError(f"from_source({type(source).__name__}): it holds several datasets; choose one of {list(source)}.")


def of_iterable(source: Foreign, column_names: Names, selection: Selection) -> StreamDataset:
    """Return the rows of an IterableDataset, which is told each epoch."""
    return StreamDataset(source, column_names, selection)


def of_table(source: Foreign, column_names: Names, selection: Selection) -> IndexedDataset:
    """Return the rows of a Dataset: its Arrow columns as they lie in memory or on disk, unless it decodes or transforms rows."""
    labels = _labels(source.features)
    if source.format["type"] == "custom" or any(map(_is_decoded, source.features.values())):
        return IndexedDataset(source, column_names, selection, labels)
    table, chosen = source.data.table, source._indices
    order = None if chosen is None else chosen.column(0).to_numpy().astype(np.int64)
    columns = columns_of("from_source(Dataset)", table.select(source.format["columns"]), column_names, order)
    return ColumnsDataset(source, columns, column_names, selection, labels)


def _labels(features: Foreign) -> dict[str, int] | None:
    """Return the label of each class, if one column holds classes."""
    found = [feature for feature in features.values() if type(feature).__name__ == "ClassLabel"]
    return {name: number for number, name in enumerate(found[0].names)} if len(found) == 1 else None


def _is_decoded(feature: Foreign) -> bool:
    """Return whether the package decodes a column, or a part of it, such as an image."""
    if isinstance(feature, dict):
        return any(map(_is_decoded, feature.values()))
    if isinstance(feature, (list, tuple)):
        return any(map(_is_decoded, feature))
    inner = getattr(feature, "feature", None)
    return hasattr(feature, "decode_example") or (inner is not None and _is_decoded(inner))
