"""rename: other names for columns."""

from __future__ import annotations

from collections.abc import Iterator

from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Gather, Row, as_method
from sporax._src.data.iteration import Run


class RenameDataset(Dataset):
    """`input_dataset` with other names for some columns; made by `Dataset.rename`."""

    def __init__(self, input_dataset: Dataset, input_columns: list[str], output_columns: list[str]) -> None:
        super().__init__(input_dataset)
        self.input_columns, self.output_columns = input_columns, output_columns

    def _columns(self) -> list[str]:
        names = list(self.children[0]._columns())
        positions = checks.positions("Dataset.rename", self.input_columns, names)
        for position, name in zip(positions, self.output_columns, strict=True):
            names[position] = name
        if len(set(names)) != len(names):
            raise RuntimeError(f"Dataset.rename: a new name exists already; the columns would be {names}.")
        return names

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        self._columns()
        return self.children[0]._rows(run, epoch, start)

    def _gather(self, run: Run, epoch: int) -> Gather | None:
        return self.children[0]._gather(run, epoch)


@as_method
def rename(self: Dataset, input_columns: str | list[str], output_columns: str | list[str]) -> Dataset:
    """Return this dataset with other names for `input_columns`.

    Args:
        input_columns (Union[str, list[str]]): The columns to rename.
        output_columns (Union[str, list[str]]): Their new names.

    Raises:
        TypeError: If an argument is not a str or a list of str.
        ValueError: If the two differ in length, are empty, or hold a name twice.
        RuntimeError: If a column does not exist or a new name does, once columns are asked for.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.NumpySlicesDataset({"a": [1], "b": [2]}).rename("a", "z").get_col_names()
        ['z', 'b']
    """
    old = checks.columns("Dataset.rename", "input_columns", input_columns)
    new = checks.columns("Dataset.rename", "output_columns", output_columns)
    if len(old) != len(new):
        raise ValueError(f"Dataset.rename: expected as many new names as columns, got {len(new)} for {len(old)}.")
    return RenameDataset(self, old, new)
