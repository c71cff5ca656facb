"""Lamb: the rows of the tables, and the paper's formula."""

import numpy as np
import pytest
from optimizer_tables import optimizers_of
from optimizer_tables.steps import DATA, stepped

import sporax as ms
from sporax import Parameter, Tensor

TestRows = optimizers_of("sporax._src.optim.lamb")


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_lamb_is_the_papers(mode: int, decay: float) -> None:
    """MindSpore's CPU has no kernel: values of the formula in double precision."""
    got, grads = stepped(f"nn.Lamb(params, 0.1, 0.8, 0.9, 1e-4, {decay})")
    w, m, v = DATA["fc.weight"].astype(np.float64), 0.0, 0.0
    for t, g in enumerate(grads, 1):
        m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g
        r = m / (1 - 0.8**t) / (np.sqrt(v / (1 - 0.9**t)) + 1e-4) + decay * w
        w = w - 0.1 * np.linalg.norm(w) / np.linalg.norm(r) * r
    np.testing.assert_allclose(got, w, rtol=1e-5, atol=1e-6)


def test_lamb_of_nothing() -> None:
    """A Parameter of zeros, or a gradient of zeros, makes no NaN."""
    w = Parameter(Tensor(np.zeros(2, np.float32)), name="w")
    opt = ms.nn.Lamb([w], 0.1)
    opt((Tensor(np.zeros(2, np.float32)),))
    np.testing.assert_array_equal(w.asnumpy(), [0, 0])
    opt((Tensor(np.ones(2, np.float32)),))
    assert np.isfinite(w.asnumpy()).all() and (w.asnumpy() < 0).all()
