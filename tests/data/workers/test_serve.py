"""What a worker does: draws by row, settings, its stack."""

import os
import random

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data.workers.blocks import unnamed_file
from sporax._src.data.workers.serve import Notes, failure_of, seed_by_row


def drawn(workers: int, epochs: int = 2, seed: int = 5) -> list[list[object]]:
    """Return what functions draw from Python's and NumPy's own generators."""
    ds.config.set_seed(seed)
    data = ds.NumpySlicesDataset(np.arange(9), ["x"], shuffle=False)
    data = data.map(
        lambda x: np.array([np.random.randint(1 << 30), random.randrange(1 << 30)]),
        ["x"], python_multiprocessing=True, num_parallel_workers=workers,
    )  # fmt: skip
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[row[0].tolist() for row in rows] for _ in range(epochs)]


def test_draws_depend_on_the_row_not_on_the_worker() -> None:
    one = drawn(1)
    assert drawn(2) == one and drawn(2, seed=6) != one
    assert len({tuple(row) for epoch in one for row in epoch}) == 18  # every row and every epoch draws anew


def test_the_programs_own_generators_are_left_alone() -> None:
    data = ds.NumpySlicesDataset(np.arange(9), ["x"], shuffle=False)
    data = data.map(lambda x: np.array(random.random() + np.random.random()), python_multiprocessing=True)
    before = random.getstate(), np.random.get_state()[2]
    list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert (random.getstate(), np.random.get_state()[2]) == before


def test_seeds_differ_by_operation() -> None:
    state = random.getstate(), np.random.get_state()
    draws = set()
    for key in ((1, 0, 0), (1, 1, 0), (1, 0, 1), (2, 0, 0)):
        seed_by_row(key, 3)
        draws.add((random.random(), np.random.random()))
    random.setstate(state[0])
    np.random.set_state(state[1])
    assert len(draws) == 4


def test_notes_count_rows() -> None:
    file = unnamed_file()
    os.ftruncate(file, Notes.SIZE)
    notes = Notes(file)
    notes.tell(7)
    notes.tell(9)
    assert notes.read() == (9, 2)
    os.close(file)


def test_a_worker_has_the_programs_settings(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    ds.config.set_prefetch_size(5)
    monkeypatch.chdir(tmp_path)
    data = ds.NumpySlicesDataset(np.arange(1), ["x"], shuffle=False)
    data = data.map(lambda x: np.array([str(ds.config.get_prefetch_size()), os.getcwd()]), python_multiprocessing=True)
    assert [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [
        ["5", str(tmp_path)]
    ]


def test_failures_say_what_the_program_cannot_find_out() -> None:
    cause = ValueError("inner")
    error = RuntimeError("outer")
    error.__cause__ = cause
    failure = failure_of(error, 3)
    assert (failure.text, failure.cause_text, failure.row) == ("outer", "inner", None)
    assert failure_of(SystemExit(2), 3).text == "raised SystemExit: 2" and failure_of(SystemExit(2), 3).row == 3
