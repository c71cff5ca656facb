"""Loops over a dataset."""

from sporax._src.train.dataset_helper import DatasetHelper, connect_network_with_dataset

__all__ = [
    "DatasetHelper",
    "connect_network_with_dataset",
]
