"""RAdam: the rows of the tables, and its rectification."""

import numpy as np
from optimizer_tables import optimizers_of

from sporax import Parameter, Tensor
from sporax.experimental import optim

TestRows = optimizers_of("sporax._src.optim.param_groups.radam")


def test_radam_is_exact() -> None:
    """Its rectification, a small difference of large numbers, is that of double precision."""
    rate, (b1, b2) = 0.01, (0.9, 0.999)
    rng = np.random.default_rng(0)
    w, m, v = rng.normal(size=50), np.zeros(50), np.zeros(50)
    parameter = Parameter(Tensor(w.astype(np.float32)), name="w")
    optimizer = optim.RAdam([parameter], lr=rate, betas=(b1, b2))
    most = 2 / (1 - b2) - 1
    for t in range(1, 21):
        g = rng.normal(size=50)
        optimizer((Tensor(g.astype(np.float32)),))
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        rho = most - 2 * t * b2**t / (1 - b2**t)
        factor = 1.0
        if rho > 5:
            factor = np.sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho) * (1 - b2**t)) / np.sqrt(v)
        w = w - rate * m / (1 - b1**t) * factor
    np.testing.assert_allclose(parameter.asnumpy(), w, atol=1e-4 * rate)
