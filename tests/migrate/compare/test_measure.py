"""How far two arrays are apart, and how far they may be."""

import numpy as np
import pytest
import torch

from sporax import nn
from sporax.migrate import compare


def test_measures() -> None:
    result = compare(torch.nn.LeakyReLU(), nn.LeakyReLU(), np.array([[-1.0, 1.0, 2.0, 0.0]], np.float32))
    row = next(row for row in result.rows if row.stage == "forward")
    want, got = np.array([-0.01, 1, 2, 0]), np.array([-0.2, 1, 2, 0])
    assert (
        row.max == pytest.approx(0.19) and row.mean == pytest.approx(0.19 / 4) and row.relative == pytest.approx(0.095)
    )
    assert row.cosine == pytest.approx(want @ got / np.linalg.norm(want) / np.linalg.norm(got))
    assert row.status == "different" and row.shape == "[1, 4]"
