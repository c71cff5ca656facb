"""Runs that are saved and resumed."""

import random

import numpy as np

import sporax.dataset as ds
from sporax import nn, ops

EPOCHS, ROWS, BATCH = 3, 12, 4


class Net(nn.Cell):
    """Draws from the framework's generator, and from a seeded operator's."""

    def __init__(self):
        super().__init__()
        self.inner, self.out = nn.Dense(5, 6), nn.Dense(6, 2)
        self.drop = nn.Dropout(p=0.4)
        self.noise = ops.StandardNormal(seed=3)

    def construct(self, x):
        x = self.drop(ops.relu(self.inner(x)))
        return self.out(x + self.noise((1, 6)) * 0.1)


def data():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(ROWS, 5)).astype(np.float32), rng.normal(size=(ROWS, 2)).astype(np.float32)
    rows = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True)
    rows = rows.map(lambda v: v + np.random.rand() * 0.1 + random.random() * 0.1, "x")
    return rows.map(lambda v: v.astype(np.float32), "x").batch(BATCH)


def same(got, expected):
    assert got.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(got[name], value, err_msg=name)
