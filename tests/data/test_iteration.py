"""Runs of a pipeline: where they start."""

from typing import Any

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data.autotune import Crew
from sporax._src.data.iteration import in_order
from sporax._src.data.row_calls import Answer


def test_an_iterator_may_start_later():
    data = ds.NumpySlicesDataset(np.arange(4), shuffle=False).batch(2)
    data.set_init_step(3)
    rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    assert [row[0].tolist() for row in rows] == [[2, 3]]
    assert data.get_init_step() == 3


class _Done:
    """Processes that answer a task at once, and record how many rows it has."""

    def __init__(self, size: int) -> None:
        self._size, self.tasks = size, []

    def submit(self, key: object, first: int, items: list[int]) -> Any:
        self.tasks.append(len(items))
        answer = Answer(items, None, 1e-6 * len(items), self._size * len(items))

        class Ticket:
            def get(self) -> Answer[int]:
                return answer

        return Ticket()


@pytest.mark.parametrize(("size", "most"), [(8, 64), (600_000, 3), (10_000_000, 1)])
def test_a_task_has_few_large_rows(size: int, most: int):
    processes: Any = _Done(size)
    assert list(in_order(lambda number, row: row, range(300), 0, (0, 0, 0), Crew(2, 16), processes)) == list(range(300))
    assert max(processes.tasks) == most
