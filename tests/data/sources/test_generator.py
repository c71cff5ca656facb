"""Sources of Python objects: the rows of the tables, and every kind of them."""

import threading

import numpy as np
import pytest
from data_tables import pipelines_of
from dataset_rows import values

import sporax as ms
import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.sources.generator")


# Sources.


def test_sources_of_every_kind():
    class Numbered:
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return np.float32(index), np.full(2, index)

    for source in ([(0.0, 1), (1.0, 1)], ((0.0, 1), (1.0, 1)), Numbered(), zip([0.0, 1.0], [1, 1], strict=True)):
        data = ds.GeneratorDataset(source, ["a", "b"], shuffle=False)
        assert values(data)[:2] == [0.0, 1.0]
    assert values(ds.GeneratorDataset(np.arange(3), "a", shuffle=False)) == [0, 1, 2]
    assert values(ds.GeneratorDataset({0: 5, 1: 6}, "a", shuffle=False)) == [5, 6]
    assert values(ds.GeneratorDataset(lambda: [1, 2].__iter__(), "a")) == [1, 2]
    assert values(ds.GeneratorDataset((i for i in range(3)), "a"), 2) == [[0, 1, 2], [0, 1, 2]]
    assert values(ds.GeneratorDataset(range(4), "a", num_samples=2, shuffle=False)) == [0, 1]
    assert values(ds.GeneratorDataset(lambda: iter(range(4)), "a", num_samples=2)) == [0, 1]


def test_one_row_of_one_column_needs_no_tuple():
    assert ds.GeneratorDataset([[1, 2]], ["a", "b"]).output_shapes() == [[], []]
    assert ds.GeneratorDataset([np.zeros((2, 3))], "a").output_shapes() == [[2, 3]]
    assert values(ds.GeneratorDataset(["text"], "a")) == ["text"]
    assert next(ds.GeneratorDataset([{"k": 1}], "a").create_tuple_iterator(output_numpy=True)) == [{"k": np.array(1)}]


def test_column_types_may_be_left_open():
    assert values(ds.GeneratorDataset([(1, 2)], ["a", "b"], column_types=[None, "int64"])) == [1]


class Reusing:
    """A source that gives every row in the same array."""

    def __init__(self):
        self.row = np.zeros(3)

    def __len__(self):
        return 40

    def __getitem__(self, index):
        self.row[:] = index
        return self.row


@pytest.mark.parametrize("workers", [1, 2])  # processes: of threads, each would write over the row of another one
def test_a_source_may_write_over_the_row_it_gave(workers):
    data = ds.GeneratorDataset(Reusing(), "a", shuffle=False, num_parallel_workers=workers)
    assert values(data) == [[k] * 3 for k in range(40)]


@pytest.mark.parametrize(("options", "error"), [
    ({"python_multiprocessing": 1}, "TypeError: GeneratorDataset: python_multiprocessing must be a bool, got int 1"),
    ({"max_rowsize": "6"}, "TypeError: GeneratorDataset: max_rowsize must be an int, got str '6'"),
    ({"max_rowsize": -2}, r"ValueError: GeneratorDataset: max_rowsize must be in \[-1, 2147483647\], got -2"),
])  # fmt: skip
def test_arguments_of_worker_processes(options, error):
    kind, message = error.split(": ", 1)
    with pytest.raises((TypeError, ValueError), match=message) as raised:
        ds.GeneratorDataset([1, 2], "a", **options)
    assert type(raised.value).__name__ == kind
    ds.GeneratorDataset([1, 2], "a", max_rowsize=[6, 8])


class Locked:
    """A source that cannot be pickled."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> np.ndarray:
        with self.lock:
            return np.array(index)


class OfTensors(Locked):
    """A source that uses the framework for later rows."""

    def __init__(self) -> None:
        pass

    def __getitem__(self, index: int) -> object:
        return ms.Tensor(index) + 0 if index > 20 else np.array(index)


@pytest.mark.parametrize("source, reason", [(Locked, "lock: cannot pickle"), (OfTensors, "was called in a worker")])
def test_a_source_that_processes_cannot_have_is_read_on_threads(source: type, reason: str) -> None:
    """The rows and their order are those of one worker, and one warning says why."""
    ds.config.set_seed(3)
    expected = [row["x"].item() for row in ds.GeneratorDataset(source(), ["x"]).create_dict_iterator(1, True)]
    ds.config.set_seed(3)
    data = ds.GeneratorDataset(source(), ["x"], num_parallel_workers=2)
    iterator = data.create_dict_iterator(2, True)
    with pytest.warns(UserWarning, match=rf"{reason}.* It is called on threads now\.") as caught:
        rows = [row["x"].item() for row in iterator]
    assert rows == expected and sorted(expected) == list(range(40))
    assert sorted(row["x"].item() for row in iterator) == list(range(40))
    assert len([one for one in caught if "on threads now" in str(one.message)]) == 1


def test_other_errors_of_a_source_stay_errors() -> None:
    class Broken(Locked):
        def __init__(self) -> None:
            pass

        def __getitem__(self, index: int) -> int:
            raise ValueError("no row")

    with pytest.raises(RuntimeError, match=r"__getitem__ raised ValueError at row \d+: no row"):
        list(ds.GeneratorDataset(Broken(), ["x"], num_parallel_workers=2).create_dict_iterator(1, True))
