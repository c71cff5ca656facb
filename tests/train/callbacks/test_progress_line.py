"""What the line of a progress bar says."""

import numpy as np

from sporax._src.train.callbacks.progress import numbers
from sporax._src.train.callbacks.progress_line import clock


def test_numbers_among_metrics() -> None:
    assert numbers({"a": 1, "b": np.float32(0.5), "c": np.ones(3), "d": "text"}) == {"a": 1.0, "b": 0.5}


def test_times() -> None:
    assert [clock(s) for s in (0, 5.4, 65, 7384)] == ["0:00", "0:05", "1:05", "2:03:04"]
