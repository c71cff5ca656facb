"""What is printed of a pipeline, and the times of the pipelines of a block."""

import re
import time

import numpy as np

import sporax.dataset as ds
from sporax._src.data import config, iterator
from sporax._src.data.look.watch import Watched


def pipeline() -> ds.Dataset:
    rows = ds.GeneratorDataset(
        [(np.ones((4, 4, 3), np.uint8), k, "name") for k in range(6)], ["image", "label", "text"]
    )
    return rows.map(lambda image: image[:2], "image").shuffle(3).batch(2)


def test_a_tree_is_printed() -> None:
    data = pipeline()
    head, *rest = repr(data).splitlines()
    assert head == "batch(batch_size=2): 3 rows; image, label, text" and [line.index("└") for line in rest] == [0, 3, 6]
    assert data._repr_html_().startswith("<pre>batch(batch_size=2)") and "&lt;lambda&gt;" in data._repr_html_()


def test_a_summary_reads_the_first_row() -> None:
    """It leaves the pipeline and the order of its rows as they are."""
    config.set_seed(3)
    want = [row[1].tolist() for row in pipeline().create_tuple_iterator(num_epochs=1, output_numpy=True)]
    config.set_seed(3)
    data = pipeline()
    text = str(data.summary())
    assert text.splitlines()[0] == "batch(batch_size=2): 3 rows; image uint8[2, 2, 4, 3], label int64[2], text text[2]"
    assert "image uint8[4, 4, 3], label int64[], text text[]" in text.splitlines()[-1]
    assert data.summary()._repr_html_().startswith("<pre>")
    assert [row[1].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == want
    assert not isinstance(data, Watched) and not isinstance(data.children[0], Watched)


def test_times_of_a_block() -> None:
    def slow(value: np.ndarray) -> np.ndarray:
        time.sleep(0.002)
        return value

    data = ds.NumpySlicesDataset({"a": np.arange(10)}, shuffle=False).map(slow, "a").batch(5)
    with ds.PipelineProfiler() as profiler:
        assert profiler.report() == "No dataset was read."
        for _ in range(2):
            list(data.create_tuple_iterator(num_epochs=1))
    assert iterator.watchers == []
    list(data.create_tuple_iterator(num_epochs=1))  # it is measured on, and nothing else is
    lines = profiler.report().splitlines()
    assert len(profiler.datasets) == 1 and len(lines) == 4
    assert re.match(r"batch\(batch_size=5\): 6 rows, 0\.\d{3} s \(\d+%\)$", lines[0])
    assert re.match(r"└─ map\(slow, input_columns=\['a'\]\): 30 rows, .* s \(\d\d%\); slow 0\.\d{3} s$", lines[1])
    assert re.match(r"Reading took 0\.\d{3} s\.$", lines[3])
