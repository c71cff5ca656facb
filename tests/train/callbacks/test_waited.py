"""Rows that wait for training."""

from typing import Any

import pytest
from noted_callbacks import read, rows

import sporax as ms
import sporax.dataset as ds
from sporax import nn


class Waited(ds.WaitedDSCallback):
    """Notes what it hears of both sides."""

    def __init__(self, events: list[str], step_size: int = 1) -> None:
        super().__init__(step_size)
        self.events = events

    def sync_epoch_begin(self, train_run_context: Any, ds_run_context: Any) -> None:
        self.events.append(f"epoch {ds_run_context.cur_epoch_num} at row {ds_run_context.cur_step_num}")

    def sync_step_begin(self, train_run_context: Any, ds_run_context: Any) -> None:
        done = train_run_context.original_args().cur_step_num
        self.events.append(f"row {ds_run_context.cur_step_num} after step {done}")


class First(nn.Cell):
    def construct(self, x: Any, y: Any) -> Any:
        return x


@pytest.mark.parametrize(
    ("batch", "expected"),
    [
        (1, ["row 2 after step 1", "epoch 2 at row 2", "row 3 after step 2", "row 4 after step 3"]),
        (2, ["epoch 2 at row 2", "row 3 after step 1"]),
    ],
)
def test_rows_wait_for_the_step_before(batch: int, expected: list[str], mode: int) -> None:
    events: list[str] = []
    waited = Waited(events, batch)
    data = ds.NumpySlicesDataset(([1.0, 2.0], [1.0, 2.0]), ["x", "y"], shuffle=False)
    data = data.map(lambda x: x, "x", callbacks=waited).batch(batch)
    ms.train.Model(First()).train(2, data, callbacks=waited, dataset_sink_mode=False)
    assert events == expected
    read(data, 1)  # nothing waits once training has ended


def test_rows_that_are_read_without_training_wait_in_vain() -> None:
    before = ds.config.get_callback_timeout()
    ds.config.set_callback_timeout(1)
    try:
        with pytest.raises(RuntimeError, match="WaitedDSCallback: waited 1 s for training before row 2"):
            read(rows().map(lambda x: x, callbacks=Waited([])), 1)
    finally:
        ds.config.set_callback_timeout(before)
