"""Batches of which each process of a run has read its part."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.processes.parallel_context import Cutting
from sporax._src.train.joined_batch import joined_batch, whole_batch
from sporax.parallel import Layout

PART = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize(
    "dataset, number, shape",
    [
        ("data_parallel", 0, (16, 3)),
        (((2, 3),), 0, (4, 9)),
        (((2,),), 0, (4, 3)),
        (((2, 3),), 1, (2, 3)),
        ((Layout((2, 4), ("x", "y"))("y", "x"),), 0, (8, 6)),
    ],
)
def test_the_shape_of_what_all_devices_have_read(dataset: object, number: int, shape: tuple[int, ...]) -> None:
    whole = whole_batch(number, PART, Cutting(8, dataset, None))
    assert whole.shape == shape and whole.dtype == np.float32


def test_a_number_is_no_batch() -> None:
    assert whole_batch(0, Tensor(1.0), Cutting(8, "data_parallel", None)).shape == ()


def test_a_row_stays_where_nothing_is_shared() -> None:
    row = [PART, "text"]
    assert joined_batch(row) is row


@pytest.fixture
def _parallel():
    yield lambda **how: ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=8, **how)
    ms.reset_auto_parallel_context()


def test_absent_devices_have_read_what_this_one_has(_parallel) -> None:
    _parallel(full_batch=False)
    row = (PART, "text", Tensor(2.0))
    assert joined_batch(row) is row  # in PyNative mode
    ms.set_context(mode=ms.GRAPH_MODE)
    batch, text, number = joined_batch(row)
    assert batch.asnumpy().tolist() == PART.asnumpy().tolist() * 8
    assert text == "text" and float(number) == 2.0


def test_a_whole_batch_stays(_parallel) -> None:
    _parallel(full_batch=True)
    ms.set_context(mode=ms.GRAPH_MODE)
    row = (PART,)
    assert joined_batch(row) is row
