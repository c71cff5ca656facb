"""Lines of pipelines: nothing is read for them."""

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data.look.lines import drawn, kind, lines


class Never:
    """Rows that must not be read."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        raise AssertionError("a row was read")


def never() -> None:
    raise AssertionError("the function was called")


def texts(data: ds.Dataset) -> list[str]:
    return [str(line) for line in lines(data)]


def test_lines_of_a_pipeline() -> None:
    data = ds.NumpySlicesDataset({"a": np.ones((4, 2)), "b": np.arange(4)}, shuffle=False)
    data = data.map([abs, np.negative], ["a"], num_parallel_workers=3).batch(3, drop_remainder=True)
    assert texts(data) == [
        "batch(batch_size=3, drop_remainder=True): 1 row; a, b",
        "map(abs, negative, input_columns=['a']): 4 rows; a, b; 3 threads",
        "NumpySlicesDataset(shuffle=False): 4 rows; a float64[2], b int64[]",
    ]
    assert [kind(line.dataset) for line in lines(data)] == ["batch", "map", "NumpySlicesDataset"]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: ds.from_source(Never()), "IndexedDataset(Never): 4 rows; columns not read yet"),
        (lambda: ds.from_source(never), "StreamDataset(_Called): ? rows; columns not read yet"),
        (lambda: ds.GeneratorDataset(never, ["x"]), "GeneratorDataset(source=never, column_names=['x']): ? rows; x"),
        (
            lambda: ds.from_source(Never(), "x").batch(lambda info: never()),
            "batch(batch_size=<lambda> in test_lines.py, line ",
        ),
        (
            lambda: ds.from_source(Never(), "x", sampler=ds.SequentialSampler(1, 2)),
            "IndexedDataset(Never, column_names=x",
        ),
        (lambda: ds.TextFileDataset(__file__, shuffle=ds.Shuffle.FILES), "TextFileDataset(dataset_files="),
        (
            lambda: ds.from_source(Never(), "x").map(abs, "y"),
            "map(abs, input_columns=['y']): 4 rows; no columns: ",
        ),
    ],
)
def test_what_is_not_known(make, text: str) -> None:
    assert texts(make())[0].replace("'x'", "x").startswith(text.replace("'x'", "x"))


def test_sizes_of_files_are_those_that_were_counted() -> None:
    data = ds.TextFileDataset(__file__)
    assert "? rows" in texts(data)[0]
    assert f"{data.get_dataset_size():,} rows" in texts(data)[0]
    filtered = ds.NumpySlicesDataset([1, 2, 3]).filter(lambda x: x > 1)
    assert "? rows" in texts(filtered)[0] and filtered.get_dataset_size() == 2 and "2 rows" in texts(filtered)[0]


def test_branches() -> None:
    rows = ds.NumpySlicesDataset([1, 2])
    data = ds.zip((ds.zip((rows, rows.rename("column_0", "b"))), rows.rename("column_0", "c").repeat(2)))
    assert drawn(list(lines(data))) == ["", "├─ ", "│  ├─ ", "│  └─ ", "│     └─ ", "└─ ", "   └─ ", "      └─ "]
