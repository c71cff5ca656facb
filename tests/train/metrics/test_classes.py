"""Metrics of `classes`: the rows of the table."""

from metric_tables import metrics_of

TestMetrics = metrics_of("sporax._src.train.metrics.classes")
