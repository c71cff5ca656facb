"""MNIST as records: the rows of the tables, damage."""

import gzip
from pathlib import Path

import pytest
from data_tables import converters_of

from sporax import mindrecord

TestConverters = converters_of("sporax._src.data.converters.mnist")


def test_damaged_digits(sources: Path) -> None:
    labels = Path("mnist/t10k-labels-idx1-ubyte.gz")
    labels.write_bytes(gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 1, 5])))
    with pytest.raises(
        RuntimeError, match=r"MnistToMR: .*t10k-images-idx3-ubyte.gz has 2 images, and there are 1 labels"
    ):
        mindrecord.MnistToMR("mnist", "m").run()
    labels.write_bytes(gzip.compress(bytes([0, 0, 8, 3])))
    with pytest.raises(RuntimeError, match="expected an IDX file of 1 axes"):
        mindrecord.MnistToMR("mnist", "n").run()
