"""flat_map: a dataset for each row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Row, as_method, skipping
from sporax._src.data.iteration import Run


class FlatMapDataset(Dataset):
    """The rows of the datasets that `func` makes of each row; made by `Dataset.flat_map`."""

    def __init__(self, input_dataset: Dataset, func: Callable[..., Any]) -> None:
        super().__init__(input_dataset)
        self.func = func

    def _dataset(self, row: Row, number: int) -> Dataset:
        try:
            dataset = self.func(*row)
        except Exception as error:
            raise checks.failed("Dataset.flat_map", self.func, number, error) from error
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"Dataset.flat_map: {checks.called(self.func)} must return a Dataset, got {describe(dataset)} "
                f"at row {number}."
            )
        return dataset

    def _columns(self) -> list[str]:
        row = self.children[0]._first()
        return self.children[0]._columns() if row is None else self._dataset(row, 0)._columns()

    def _static_size(self) -> int | None:
        return None

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        return skipping(self._all(run, epoch), start)

    def _all(self, run: Run, epoch: int) -> Iterator[Row]:
        for number, row in enumerate(self.children[0]._rows(run, epoch)):
            dataset = self._dataset(row, number)
            yield from dataset._rows(Run(dataset, run.seed), epoch)


@as_method
def flat_map(self: Dataset, func: Callable[..., Any]) -> Dataset:
    """Return the rows of the datasets that `func` makes of each row, one after the other.

    Args:
        func (Callable): Takes the columns as arrays, returns a Dataset.

    Raises:
        TypeError: If `func` is not callable or, while iterating, returns something else.
        RuntimeError: While iterating, if `func` raises.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2], shuffle=False)
        >>> data = data.flat_map(lambda a: ds.NumpySlicesDataset([int(a)] * int(a)))
        >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [1, 2, 2]
    """
    checks.function("Dataset.flat_map", "func", func)
    return FlatMapDataset(self, func)
