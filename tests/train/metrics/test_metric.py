"""The base of metrics, and their names."""

import pytest
from metric_tables import GOLDEN

from sporax import train
from sporax._src.train.metrics import METRICS


def test_names() -> None:
    """Every name of MindSpore's is known and gives a metric of its own class."""
    assert train.names() == GOLDEN["names"]
    assert train.get_metric_fn("topk", k=3).k == 3
    assert type(train.get_metric_fn("acc")) is train.Accuracy
    with pytest.raises(KeyError, match="unsupported metric 'nonsense'"):
        train.get_metric_fn("nonsense")
    assert set(METRICS) == set(GOLDEN["names"])


def test_indexes_choose_inputs() -> None:
    """`set_indexes` says which outputs are predictions and labels."""
    metric = train.Accuracy().set_indexes([2, 0])
    metric.update([0], "unused", [[0.9, 0.1]])
    assert metric.indexes == [2, 0]
    assert metric.eval() == 1.0
    with pytest.raises(IndexError, match=r"Accuracy.update: index 2 of set_indexes is out of range, there are 1"):
        metric.update([0])
    with pytest.raises(ValueError, match=r"Accuracy.set_indexes: expected a list of ints, got \(0\)"):
        metric.set_indexes((0,))
