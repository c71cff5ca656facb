"""FTRL and ProximalAdagrad: the rows of the tables, and the paper's formula."""

import numpy as np
from optimizer_tables import optimizers_of
from optimizer_tables.steps import DATA, stepped

TestRows = optimizers_of("sporax._src.optim.ftrl")


def test_ftrl_is_the_papers() -> None:
    """Values of the formula in double precision."""
    got, grads = stepped("nn.FTRL(params, 0.2, 0.1, -0.5, 0.1, 0.02)")
    w, a, z = DATA["fc.weight"].astype(np.float64), 0.2, 0.0
    for g in grads:
        z = z + g - (np.sqrt(a + g * g) - np.sqrt(a)) / 0.1 * w
        a = a + g * g
        w = np.where(np.abs(z) > 0.1, (np.sign(z) * 0.1 - z) / (np.sqrt(a) / 0.1 + 0.04), 0)
    np.testing.assert_allclose(got, w, rtol=1e-4, atol=1e-6)
