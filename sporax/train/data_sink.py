"""Steps that take their rows themselves."""

from sporax._src.train.dataset_helper import data_sink

__all__ = [
    "data_sink",
]
