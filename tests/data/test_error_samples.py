"""Rows for which an operation of `map` raises are an error, replaced or left out, as in MindSpore."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from failing_rows import FAILURES
from recorded_errors import TOLD

import sporax.dataset as ds
from sporax.dataset import transforms
from sporax.dataset.config import ErrorSamplesMode


def failing(failure: str, size: int, workers: int = 1) -> ds.Dataset:
    def operation(row: Any) -> Any:
        if FAILURES[failure](int(row), size):
            raise ZeroDivisionError("no")
        return row

    def source() -> Iterator[int]:
        yield from range(size)

    data = ds.GeneratorDataset(source, ["a"], shuffle=False)
    return data.map(operation, ["a"], num_parallel_workers=workers)


def run(data: ds.Dataset, epochs: int = 1) -> dict[str, Any]:
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            found = [[row[0].item() for row in iterator] for _ in range(epochs)]
        except Exception as error:
            return {"error": type(error).__name__}
        return {"size": data.get_dataset_size(), "rows": found}


@pytest.mark.parametrize("mode", list(ErrorSamplesMode))
@pytest.mark.parametrize("failure", FAILURES)
def test_rows_are_mindspores(mode: ErrorSamplesMode, failure: str) -> None:
    ds.config.set_error_samples_mode(mode)
    expected = {name: value for name, value in TOLD["rows"][mode.name].items() if name.rpartition(",")[0] == failure}
    assert len(expected) == 6
    assert {name: run(failing(failure, int(name.rpartition(",")[2]))) for name in expected} == expected


@pytest.mark.parametrize("mode", list(ErrorSamplesMode))
def test_epochs_and_workers(mode: ErrorSamplesMode) -> None:
    """An epoch does not depend on those before it; in MindSpore rows of the first stand for rows of the second."""
    ds.config.set_error_samples_mode(mode)
    assert run(failing("runs", 100, 2)) == TOLD["workers"][mode.name]
    found, expected = run(failing("two of three", 40), 2), TOLD["epochs"][mode.name]
    if mode is not ErrorSamplesMode.RETURN:
        assert found["rows"][0] == found["rows"][1] == expected["rows"][0]
        assert len(found["rows"][1]) == len(expected["rows"][1])
    else:
        assert found == expected


def test_values_of_the_mode() -> None:
    assert {mode.name: int(mode) for mode in ErrorSamplesMode} == TOLD["values"]
    assert ds.config.get_error_samples_mode() is ErrorSamplesMode.RETURN
    for value in (1, "SKIP", None):
        with pytest.raises(TypeError, match="set_error_samples_mode: expected an ErrorSamplesMode, got"):
            ds.config.set_error_samples_mode(value)


@pytest.mark.parametrize("mode", list(ErrorSamplesMode))
def test_too_many_outputs_are_an_error_in_every_mode(mode: ErrorSamplesMode) -> None:
    ds.config.set_error_samples_mode(mode)
    assert TOLD["outputs"][mode.name] == "RuntimeError"
    data = ds.NumpySlicesDataset([1, 2, 3], ["a"], shuffle=False).map(lambda a: (a, a), ["a"])
    with pytest.raises(RuntimeError, match="returned 2 columns at row 0, but output_columns has 1"):
        list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


def test_what_is_said() -> None:
    ds.config.set_error_samples_mode(ErrorSamplesMode.SKIP)
    text = r"Dataset.map\(input_columns=\['a'\]\): .*operation raised ZeroDivisionError at row 0: no"
    with pytest.warns(UserWarning, match=rf"{text} \(the row is left out\)"):
        assert [
            row[0].item() for row in failing("first", 3).create_tuple_iterator(num_epochs=1, output_numpy=True)
        ] == [1, 2]
    ds.config.set_error_samples_mode(ErrorSamplesMode.REPLACE)
    with pytest.warns(UserWarning, match=rf"{text} \(the row is replaced\)"):
        assert [
            row[0].item() for row in failing("first", 3).create_tuple_iterator(num_epochs=1, output_numpy=True)
        ] == [1, 2, 1]
    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="operations raised for every row; there is none"):
        list(failing("all", 3).create_tuple_iterator(num_epochs=1, output_numpy=True))
    ds.config.set_error_samples_mode(ErrorSamplesMode.RETURN)
    with pytest.raises(RuntimeError, match=text):
        list(failing("first", 3).create_tuple_iterator(num_epochs=1, output_numpy=True))


@pytest.mark.filterwarnings("ignore:Dataset.map")
def test_in_a_pipeline() -> None:
    """Operations on many rows at once go row by row then; batches and starts in the middle see the rows that are left."""
    ds.config.set_error_samples_mode(ErrorSamplesMode.SKIP)
    data = ds.NumpySlicesDataset(np.arange(9), ["a"], shuffle=False).map(
        [transforms.OneHot(5), lambda a: a.argmax()], "a"
    )
    batches = [row["a"].tolist() for row in data.batch(2).create_dict_iterator(1, output_numpy=True)]
    assert batches == [[0, 1], [2, 3], [4]]
    data.set_init_step(3)
    assert [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [3, 4]
    told: list[int] = []

    class Steps(ds.DSCallback):
        def ds_step_end(self, ds_run_context: Any) -> None:
            told.append(ds_run_context.cur_step_num)

    data = failing("odd", 4)
    data = ds.NumpySlicesDataset(np.arange(4), ["a"], shuffle=False).map(data.operations, ["a"], callbacks=Steps())
    assert [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [0, 2]
    assert told == [1, 2, 3, 4]
