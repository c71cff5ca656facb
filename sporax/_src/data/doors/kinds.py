"""from_source, the door, and the table of kinds that it knows."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset
from sporax._src.data.doors import arrow, frames, grain_data, hugging_face, memory, paths, torch_data
from sporax._src.data.doors.kept import Foreign, Names

_Open = Callable[[Any, Any, dict[str, Any]], Dataset]

# The classes of other packages, by the module that has them: an object of one exists only if the module is loaded. The first row
# whose class the object has opens it.
KINDS: list[tuple[str, str, _Open]] = [
    ("datasets.dataset_dict", "DatasetDict", hugging_face.of_splits),
    ("datasets.dataset_dict", "IterableDatasetDict", hugging_face.of_splits),
    ("datasets.arrow_dataset", "Dataset", hugging_face.of_table),
    ("datasets.iterable_dataset", "IterableDataset", hugging_face.of_iterable),
    ("grain", "MapDataset", grain_data.of_map),
    ("grain", "IterDataset", grain_data.of_iterable),
    ("grain", "DataLoader", grain_data.of_iterable),
    ("torch.utils.data", "DataLoader", torch_data.of_loader),
    ("torch.utils.data", "IterableDataset", torch_data.of_iterable),
    ("torch.utils.data", "TensorDataset", torch_data.of_tensors),
    ("torch.utils.data", "Dataset", torch_data.of_numbered),
    ("torch", "Tensor", memory.of_array),
    ("pandas", "DataFrame", frames.of_frame),
    ("pyarrow", "Table", arrow.of_table),
    ("pyarrow.dataset", "Dataset", arrow.of_files),
]


def from_source(
    source: Foreign,
    column_names: str | list[str] | None = None,
    *,
    shuffle: bool = False,
    sampler: object = None,
    num_shards: int | None = None,
    shard_id: int | None = None,
) -> Dataset:
    """Return a dataset over data that another package holds. The package is not imported: the object comes from it.

    | Source | Rows |
    |---|---|
    | `torch.utils.data.DataLoader` | its batches; workers, sampler and collation stay those of the loader |
    | `torch.utils.data.Dataset`, `TensorDataset`, `IterableDataset` | its rows |
    | `datasets.Dataset`, `datasets.IterableDataset` | its rows; columns of numbers are read where they lie, without copies |
    | `pyarrow.Table`, `pyarrow.dataset.Dataset`, objects with `__arrow_c_stream__`, `pandas.DataFrame` | its rows |
    | `grain.MapDataset`, `grain.IterDataset`, `grain.DataLoader` | its elements |
    | an array, a `numpy.memmap`, a torch tensor | its slices along the first axis |
    | a dictionary or a tuple of columns | a row for each index |
    | a list, any object with `__getitem__` and `__len__` | its items |
    | an iterable, a generator, a function that returns one | its items |
    | the path of a file, a pattern, or a list of paths | see below |

    Files are Parquet (`.parquet`), Arrow (`.arrow`, `.feather`), `.csv`, `.npy`, `.npz`, `.tfrecord`, `.mindrecord` and `.tar` of
    WebDataset, in which files of one name and several endings are a row. A folder has images in one folder for each class, or one
    kind of these files.

    Dictionaries name their columns, and what is nested has a name such as `"boxes.left"`. Other columns are `column_0`, `column_1`
    and so on.

    Rows come in the order of the source. `shuffle`, `sampler` and shards choose among rows that have numbers; streams and loaders
    do so themselves. A stream without a length is read once to count its rows, if the size is asked for.

    Args:
        source: The data. A dataset of this package is returned as it is.
        column_names (Union[str, list[str]], optional): The names of the columns; if the source names them, a choice among these.
        shuffle (bool): Whether rows come in random order. Default: ``False``.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.

    Raises:
        TypeError: If the source is of no known kind.
        ValueError: If the arguments do not fit the source, or a file does not exist.
        RuntimeError: While iterating, if the source raises or a row does not fit its columns.

    Examples:
        >>> import torch
        >>> import sporax.dataset as ds
        >>> loader = torch.utils.data.DataLoader([{"x": float(k), "y": k % 2} for k in range(4)], batch_size=2)
        >>> data = ds.from_source(loader)
        >>> data.get_col_names(), data.get_dataset_size()
        (['x', 'y'], 2)
        >>> [row["y"].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
        [[0, 1], [0, 1]]
    """
    checks.boolean("from_source", "shuffle", shuffle)
    ordered = shuffle or (None if sampler is not None else False)  # a sampler orders the rows
    selection = {"shuffle": ordered, "sampler": sampler, "num_shards": num_shards, "shard_id": shard_id}
    return opened("from_source", source, column_names, selection)


def opened(where: str, source: Foreign, column_names: Names = None, selection: dict[str, Any] | None = None) -> Dataset:
    """Return the dataset of a source for a caller that messages name.

    Raises:
        TypeError: If the source is of no known kind.
    """
    if isinstance(source, Dataset):
        return source
    found = _opener(source)
    if found is None:
        raise TypeError(f"{where}: expected a dataset, or what dataset.from_source takes, got {describe(source)}.")
    return found(source, column_names, selection or {"shuffle": False})


def is_of_a_kind(source: object) -> bool:
    """Return whether an object is of one of the classes that `KINDS` lists, other than a tensor."""
    return _listed_opener(source) not in (None, memory.of_array)


def _listed_opener(source: object) -> _Open | None:
    for module, name, opener in KINDS:
        kind = getattr(sys.modules.get(module), name, None)
        if isinstance(kind, type) and isinstance(source, kind):
            return opener
    return None


def _opener(source: Foreign) -> _Open | None:
    if listed := _listed_opener(source):
        return listed
    if paths.is_path(source):
        return paths.of_path
    if isinstance(source, np.ndarray):
        return memory.of_array
    if isinstance(source, (dict, tuple)):
        return memory.of_columns
    if hasattr(source, "__arrow_c_stream__"):
        return arrow.of_exporter
    if isinstance(source, (bytes, type)):
        return None
    known = (
        isinstance(source, Iterable)
        or hasattr(source, "__getitem__")
        or inspect.isroutine(source)
        or isinstance(source, partial)
    )
    return memory.of_object if known else None
