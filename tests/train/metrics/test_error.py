"""Metrics of errors: the rows of the table, and calls on one batch."""

from metric_tables import metrics_of

from sporax import train

TestMetrics = metrics_of("sporax._src.train.metrics.error")


def test_a_metric_is_callable_on_one_batch() -> None:
    metric = train.MAE()
    metric.update([1.0], [5.0])
    assert metric([1.0], [2.0]) == 1.0
