"""project: some columns, in a chosen order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Gather, Row, as_method
from sporax._src.data.iteration import Run


class ProjectDataset(Dataset):
    """`columns` of `input_dataset`; made by `Dataset.project`."""

    def __init__(self, input_dataset: Dataset, columns: list[str]) -> None:
        super().__init__(input_dataset)
        self.columns = columns

    def _columns(self) -> list[str]:
        self._positions()
        return self.columns

    def _positions(self) -> list[int]:
        return checks.positions("Dataset.project", self.columns, self.children[0]._columns())

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        positions = self._positions()
        return (tuple(row[k] for k in positions) for row in self.children[0]._rows(run, epoch, start))

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        gather, positions = self.children[0]._gather(run, epoch), self._positions()
        if gather is None:
            return None

        def projected(rows: np.ndarray) -> Row:
            columns = gather(rows)
            return tuple(columns[k] for k in positions)

        return projected


@as_method
def project(self: Dataset, columns: str | list[str]) -> Dataset:
    """Return only `columns`, in that order.

    Args:
        columns (Union[str, list[str]]): The columns.

    Raises:
        TypeError: If `columns` is not a str or a list of str.
        ValueError: If `columns` is empty or names a column twice.
        RuntimeError: If a column does not exist, once columns are asked for.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.NumpySlicesDataset({"a": [1], "b": [2]}).project(["b", "a"]).get_col_names()
        ['b', 'a']
    """
    return ProjectDataset(self, checks.columns("Dataset.project", "columns", columns))
