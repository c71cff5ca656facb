"""What runs now: a value of the thread, changed by blocks that give back what they changed."""

import threading

import numpy as np
import pytest

from sporax._src.core.execution import EAGER, CellTrace, change, current, run_apart, running


def test_a_block_changes_what_it_names() -> None:
    before = current.get()
    assert before == EAGER
    with running(recording=1):
        with running(cells=CellTrace(path="net")):
            assert (current.get().recording, current.get().cells.path) == (1, "net")
        assert (current.get().recording, current.get().cells.path) == (1, "")
    assert current.get() is before


def test_a_block_that_ends_after_its_outer_one_gives_back_its_own_field() -> None:
    def inner():
        with running(recording=2):
            yield

    def program() -> None:
        generator = inner()
        with running(cells=CellTrace(path="net")):
            next(generator)
            with pytest.raises(StopIteration):
                next(generator)
            assert (current.get().recording, current.get().cells.path) == (0, "net")

    run_apart(program)


def test_other_threads_start_plainly() -> None:
    seen = []
    with running(recording=1):
        thread = threading.Thread(target=lambda: seen.append(current.get().recording))
        thread.start()
        thread.join()
    assert seen == [0]


def test_what_runs_apart_leaves_nothing() -> None:
    def leaves(result: int) -> int:
        change({"recording": 5})
        np.seterr(divide="ignore")
        return result

    before = np.geterr()
    try:
        assert run_apart(leaves, 3) == 3
        assert current.get().recording == 0 and np.geterr()["divide"] == "ignore"
    finally:
        np.seterr(**before)
