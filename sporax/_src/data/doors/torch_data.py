"""Datasets and loaders of PyTorch."""

from __future__ import annotations

from sporax._src.data.doors.kept import ColumnsDataset, Foreign, IndexedDataset, Names, Selection, StreamDataset
from sporax._src.data.doors.memory import of_columns


def of_loader(source: Foreign, column_names: Names, selection: Selection) -> StreamDataset:
    """Return the batches of a DataLoader, which keeps its workers, its sampler and its order."""
    return LoaderDataset(source, column_names, selection)


class LoaderDataset(StreamDataset):
    """Gives the batches of a DataLoader; made by `from_source`."""

    def get_batch_size(self) -> int:
        """Return the rows per batch, -1 if the loader has a batch sampler of its own."""
        size = self.source.batch_size
        return -1 if size is None else size


def of_iterable(source: Foreign, column_names: Names, selection: Selection) -> StreamDataset:
    """Return the rows of an IterableDataset."""
    return StreamDataset(source, column_names, selection)


def of_tensors(source: Foreign, column_names: Names, selection: Selection) -> ColumnsDataset:
    """Return the rows of a TensorDataset, whose tensors are columns; they are not copied."""
    return of_columns(tuple(source.tensors), column_names, selection)


def of_numbered(source: Foreign, column_names: Names, selection: Selection) -> IndexedDataset:
    """Return the rows of a Dataset with `__getitem__`; `class_to_idx`, as torchvision has it, names its classes."""
    return IndexedDataset(source, column_names, selection, getattr(source, "class_to_idx", None))
