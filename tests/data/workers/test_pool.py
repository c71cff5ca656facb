"""Workers of an operation: what they give, how long they live, and what their faults say."""

import contextlib
import gc
import multiprocessing
import os
import threading
import time
import weakref
from random import Random

import numpy as np
import pytest
from data_faults import ENDS, FAULTS, check, check_end, check_kill, left_behind

import sporax.dataset as ds
from sporax._src.data.workers.pool import Processes


def read(data: ds.Dataset, epochs: int = 1) -> list[list[object]]:
    """Return the first column of every epoch."""
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[row[0].tolist() for row in rows] for _ in range(epochs)]


def numbers(rows: int = 12) -> ds.Dataset:
    """Return numbered rows."""
    return ds.NumpySlicesDataset(np.arange(rows), ["x"], shuffle=False)


class Source:
    """Gives the process that reads a row."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> np.ndarray:
        return np.array(os.getpid())


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_clear_error(name: str) -> None:
    check(Random(name), name)


@pytest.mark.parametrize("whom", ["worker", "fork server"])
def test_a_kill_from_outside(whom: str) -> None:
    check_kill(Random(1), whom)


@pytest.mark.parametrize("end", ["exception", "SIGINT", "SIGKILL"])
def test_nothing_is_left_of_a_program(end: str) -> None:
    import sys

    assert end in ENDS
    check_end(Random(1), end, sys.executable)


def test_where_there_are_processes() -> None:
    """As in MindSpore: a source needs two workers, a map one; a map without the flag has threads."""
    here = os.getpid()
    assert set(read(ds.GeneratorDataset(Source(), ["x"]))[0]) == {here}
    assert set(read(ds.GeneratorDataset(Source(), ["x"], num_parallel_workers=2, python_multiprocessing=False))[0]) == {
        here
    }
    two = set(read(ds.GeneratorDataset(Source(), ["x"], num_parallel_workers=2))[0])
    assert len(two) == 2 and here not in two
    call = lambda x: np.array(os.getpid())
    assert set(read(numbers().map(call, num_parallel_workers=2))[0]) == {here}
    assert here not in read(numbers().map(call, python_multiprocessing=True))[0]
    assert here not in read(numbers().batch(2, per_batch_map=lambda x, info: call(x), python_multiprocessing=True))[0]
    ds.config.set_debug_mode(True)
    assert set(read(numbers().map(call, python_multiprocessing=True))[0]) == {here}


def test_workers_stay_for_all_epochs() -> None:
    data = numbers().map(lambda x: np.array(os.getpid()), python_multiprocessing=True, num_parallel_workers=2)
    first, second, third = read(data, 3)
    assert set(first) == set(second) == set(third) and len(set(first)) == 2
    assert set(read(data.repeat(2).take(20), 2)[1]) != set(first)


def test_an_abandoned_iterator_leaves_nothing() -> None:
    data = numbers(500).map(lambda x: np.full(5000, x), python_multiprocessing=True, num_parallel_workers=2)
    read(data.take(3))
    before = left_behind()
    rows = data.create_tuple_iterator(output_numpy=True)
    next(rows)
    assert len(left_behind()["processes"]) == 2
    del rows
    assert left_behind() == before
    rows = data.create_tuple_iterator(output_numpy=True, prefetch=2)
    next(rows)
    rows.set_state(rows.get_state())
    assert len(left_behind()["processes"]) == 0
    next(rows)
    rows.stop()
    assert left_behind() == before
    assert data.output_shapes() == [[5000]] and left_behind() == before


def test_an_error_keeps_the_position() -> None:
    data = numbers().map(lambda x: os._exit(1) if x == 5 else x, python_multiprocessing=True)
    rows, seen = data.create_tuple_iterator(output_numpy=True), []
    with pytest.raises(RuntimeError, match="ended with exit code 1 at row 5"):
        seen.extend(int(row[0]) for row in rows)
    step = rows.get_state()["step"]
    assert step <= 5
    with pytest.raises(RuntimeError, match="ended with exit code 1 at row 5"):
        for _ in range(6 - step):  # new workers read on from there
            next(rows)
    rows.stop()


@pytest.mark.parametrize("processes", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_is_in_no_cycle(processes: bool, workers: int) -> None:
    def failing(x: np.ndarray) -> np.ndarray:
        if x == 5:
            raise ValueError("five")
        return x

    data = numbers(50).map(failing, python_multiprocessing=processes, num_parallel_workers=workers).batch(3)
    gc.disable()
    try:
        rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        kept = weakref.ref(rows)
        with contextlib.suppress(RuntimeError):
            list(rows)
        del rows
        assert kept() is None  # the error referred to it
    finally:
        gc.enable()


def test_an_error_ends_workers_before_any_collection() -> None:
    def failing(x: np.ndarray) -> np.ndarray:
        if x == 5:
            raise ValueError("five")
        return x

    threads = numbers(500).map(lambda x: x, num_parallel_workers=2)
    data = threads.map(failing, python_multiprocessing=True, num_parallel_workers=2)
    read(data.take(3))
    before = left_behind()
    gc.disable()
    try:
        rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        with contextlib.suppress(RuntimeError):  # as a program would: the error is not kept
            list(rows)
        assert left_behind(collects=False) | {"threads": []} == before
        deadline = time.monotonic() + 20
        while names := left_behind(collects=False)["threads"]:  # they end at their next look
            assert time.monotonic() < deadline, names
            time.sleep(0.01)
    finally:
        gc.enable()


def test_an_operation_may_fill_one_array_again_and_again() -> None:
    class Filled:
        def __init__(self) -> None:
            self.array = np.zeros(4)

        def __call__(self, x: np.ndarray) -> np.ndarray:
            self.array[...] = x
            return self.array

    data = numbers(50).map(Filled(), python_multiprocessing=True)
    assert read(data, 2) == [[[number] * 4 for number in range(50)]] * 2


@pytest.mark.parametrize("is_sharing", [True, False])
def test_columns_of_all_kinds(is_sharing: bool) -> None:
    ds.config.set_enable_shared_mem(is_sharing)

    def columns(x: np.ndarray) -> tuple[object, ...]:
        return np.full((int(x) + 1, 7000), x), np.array([f"word {x}"] * int(x % 3)), {"a": int(x)}, np.float16(x)

    names = ["ragged", "text", "dict", "half"]
    plain = numbers().map(columns, ["x"], names)
    workers = numbers().map(columns, ["x"], names, python_multiprocessing=True, num_parallel_workers=2)
    expected = list(plain.create_tuple_iterator(num_epochs=1, output_numpy=True))
    for left, right in zip(expected, workers.create_tuple_iterator(num_epochs=1, output_numpy=True), strict=True):
        for a, b in zip(left, right, strict=True):
            assert type(a) is type(b) and getattr(a, "dtype", None) == getattr(b, "dtype", None)
            np.testing.assert_equal(a, b)


def test_without_memory_to_share_all_rows_come() -> None:
    """Large rows in both directions, while neither side has memory."""
    from sporax._src.data.workers.blocks import Channel

    data = ds.NumpySlicesDataset(np.arange(40 * 100_000.0).reshape(40, -1), ["x"], shuffle=False)
    with pytest.MonkeyPatch.context() as patch:
        placed = Channel._placed
        patch.setattr(Channel, "_placed", lambda self, *args: setattr(self, "is_full", True) or (placed and False))
        rows = read(data.map(lambda x: x + 1, python_multiprocessing=True, num_parallel_workers=2))[0]
    assert [row[0] for row in rows] == [k * 100_000 + 1.0 for k in range(40)]


def forked(x: np.ndarray) -> np.ndarray:
    """Return what a pool of processes inside a worker makes."""
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return np.array(pool.map(abs, [-int(x), -2]))


def test_processes_inside_a_worker() -> None:
    data = numbers(3).map(forked, python_multiprocessing=True, num_parallel_workers=2)
    assert read(data) == [[[0, 2], [1, 2], [2, 2]]]


def hung(x: np.ndarray) -> np.ndarray:
    """Fork a process that stays, then end."""
    if os.fork() == 0:
        threading.Event().wait()
    os._exit(7)


def test_an_end_is_seen_though_a_process_of_the_worker_lives() -> None:
    before = left_behind()["processes"]
    with pytest.raises(RuntimeError, match="ended with exit code 7 at row 0"):
        read(numbers(3).map(hung, python_multiprocessing=True))
    assert left_behind()["processes"] == before


def test_an_idle_worker_that_was_killed() -> None:
    data = numbers(3).map(lambda x: x, python_multiprocessing=True)
    rows = data.create_tuple_iterator(output_numpy=True, num_epochs=3)
    list(rows)
    os.kill(int(left_behind()["processes"][0]), 9)
    with pytest.raises(
        RuntimeError, match=r"Dataset\.map.*: worker 0 \(process \d+\) was killed by SIGKILL, .*(at row|between)"
    ):
        list(rows)
    assert [int(row[0]) for row in rows] == [0, 1, 2]
    rows.stop()


def test_two_readers_share_workers() -> None:
    one = numbers(30).map(lambda x: 2 * x, python_multiprocessing=True, num_parallel_workers=2)
    both = ds.zip((one, one.rename("x", "y").skip(1)))
    assert [[int(a), int(b)] for a, b in both.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [
        [2 * k, 2 * k + 2] for k in range(29)
    ]


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.01, 0.1])
def test_one_thread_ends_what_another_waits_for(seconds: float) -> None:
    """As Ctrl-C does with the thread that reads ahead: files are closed once, and the reader hears of it."""
    numbers(2).map(abs, python_multiprocessing=True).output_shapes()
    before = left_behind()
    rows = numbers(2).map(slept, python_multiprocessing=True).create_tuple_iterator(output_numpy=True)
    told: list[BaseException] = []

    def take() -> None:
        try:
            next(rows)
        except RuntimeError as error:
            told.append(error)

    thread = threading.Thread(target=take)
    thread.start()
    while not any(pool._workers for pool in list(rows._run._processes.values())):
        time.sleep(0.001)
    time.sleep(seconds)
    rows._run.end()
    thread.join(10)
    assert not thread.is_alive()
    assert [str(error) for error in told] == [
        "Dataset.map(input_columns=None): the iterator that reads it was stopped."
    ]
    rows.stop()
    assert left_behind() == before


def slept(x: np.ndarray) -> np.ndarray:
    """Do not return."""
    time.sleep(3600)
    return x


def test_rows_that_wait_are_answered_when_their_workers_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """At once: nobody looks for answers of workers that are gone."""
    pool = Processes("rows", 2, number_slept, number_slept)
    tickets = [pool.submit((0, 0, 0), number, [0]) for number in range(6)]
    pool.end()
    monkeypatch.setattr(pool, "_look", lambda seconds: pytest.fail("it waits for workers"))
    assert {str(ticket.get().error) for ticket in tickets} == {"rows: the iterator that reads it was stopped."}


def number_slept(_: int, item: object) -> object:
    """Do not return."""
    time.sleep(3600)
    return item
