"""project: some columns, in a chosen order."""

from __future__ import annotations

from collections.abc import Iterator

from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Gather, Row, as_method
from sporax._src.data.iteration import Run


class ProjectDataset(Dataset):
    """`columns` of `input_dataset`; made by `Dataset.project`."""

    def __init__(self, input_dataset: Dataset, columns: list[str]) -> None:
        super().__init__(input_dataset)
        self.columns = columns

    def _columns(self) -> list[str]:
        self._places()
        return self.columns

    def _places(self) -> list[int]:
        return checks.positions("Dataset.project", self.columns, self.children[0]._columns())

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        places = self._places()
        return (tuple(row[k] for k in places) for row in self.children[0]._rows(run, epoch, start))

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        gather, places = self.children[0]._gather(run, epoch), self._places()
        if gather is None:
            return None

        def projected(rows: object) -> Row:
            found = gather(rows)  # type: ignore[arg-type]
            return tuple(found[k] for k in places)

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
