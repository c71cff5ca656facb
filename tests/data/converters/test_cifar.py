"""CIFAR as records: the rows of the tables, damaged pickles."""

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from data_tables import converters_of

from sporax._src.data.converters.cifar import Cifar10, Cifar100

TestConverters = converters_of("sporax._src.data.converters.cifar")


def test_damaged_pickles(sources: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return os.system, ("touch evil",)

    path = Path("cifar10/test_batch")
    raw = path.read_bytes()
    cases: dict[bytes, str] = {
        pickle.dumps(Evil()): "it names posix.system, which no data set needs",
        pickle.dumps(
            {b"data": np.zeros((1, 3072), np.uint8), b"labels": [1, 2]}
        ): "it has 1 images and labels of shape",
        pickle.dumps({b"data": np.zeros((1, 5), np.uint8), b"labels": [1]}): "cannot reshape",
        pickle.dumps({"data": 1}): "b'data'",
        raw[:1000]: "is not a file of the data set",
        b"": "is not a file of the data set",
    }
    for content, text in cases.items():
        path.write_bytes(content)
        with pytest.raises(
            RuntimeError, match=rf"Cifar10: cifar10/test_batch is not a file of the data set: .*{text}|{text}"
        ):
            Cifar10("cifar10").load_data()
    path.write_bytes(pickle.dumps({b"data": np.zeros((1, 3072), np.uint8), b"labels": [10]}))
    with pytest.raises(RuntimeError, match=r"Cifar10: labels must be in \[0, 10\), got 10 to 10"):
        Cifar10("cifar10").load_data()
    assert not Path("evil").exists()
    for kind in (Cifar10, Cifar100):
        with pytest.raises(ValueError, match=f"{kind.__name__}: one_hot must be a bool, got 1"):
            kind("cifar10", 1)  # type: ignore[arg-type]
