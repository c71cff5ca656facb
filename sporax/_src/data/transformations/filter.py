"""filter: the rows for which a function is true."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, Row, as_method, skipping
from sporax._src.data.iteration import Run, in_order
from sporax._src.data.tensor_bridge import as_array


class FilterDataset(Dataset):
    """The rows of `input_dataset` for which `predicate` is true; made by `Dataset.filter`."""

    def __init__(
        self,
        input_dataset: Dataset,
        predicate: Callable[..., Any],
        input_columns: list[str] | None = None,
        num_parallel_workers: int | None = None,
    ) -> None:
        super().__init__(input_dataset, num_parallel_workers)
        self.predicate, self.input_columns = predicate, input_columns

    def _static_size(self) -> int | None:
        return None

    def _rows(self, run: Run, epoch: int, start: int = 0) -> Iterator[Row]:
        names = self.children[0]._columns()
        positions = checks.positions("Dataset.filter", self.input_columns or names, names)

        def judged(number: int, row: Row) -> tuple[bool, Row]:
            try:
                answer = self.predicate(*(as_array(row[k], copy=True) for k in positions))
            except Exception as error:
                raise checks.failed("Dataset.filter", self.predicate, number, error) from error
            if not isinstance(answer, (bool, int, float, np.generic, np.ndarray)):
                raise RuntimeError(
                    f"Dataset.filter: {checks.called(self.predicate)} must return a bool, got {describe(answer)} "
                    f"at row {number}."
                )
            return bool(answer), row

        rows = self.children[0]._rows(run, epoch)
        answers = in_order(judged, rows, 0, run.key(self, epoch), run.crew(self))
        return skipping((row for passes, row in answers if passes), start)


@as_method
def filter(
    self: Dataset,
    predicate: Callable[..., Any],
    input_columns: str | list[str] | None = None,
    num_parallel_workers: int | None = None,
) -> Dataset:
    """Return the rows for which `predicate` is true.

    Args:
        predicate (Callable): Takes the columns as arrays, returns a bool.
        input_columns (Union[str, list[str]], optional): What `predicate` takes. Default: all columns.
        num_parallel_workers (int, optional): How many threads call it. Default: the configured number.

    Raises:
        TypeError: If `predicate` is not callable.
        RuntimeError: While iterating, if a column does not exist or `predicate` raises.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3, 4], ["a"]).filter(lambda a: a > 1, "a")
        >>> data.get_dataset_size()
        3
    """
    checks.function("Dataset.filter", "predicate", predicate)
    if input_columns is not None:
        input_columns = checks.columns("Dataset.filter", "input_columns", input_columns)
    return FilterDataset(self, predicate, input_columns, num_parallel_workers)
