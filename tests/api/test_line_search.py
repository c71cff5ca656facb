"""The search along a line, and its conditions."""

import numpy as np
from scipy_results import square

import sporax as ms
from sporax import Tensor

linalg, optimize = ms.scipy.linalg, ms.scipy.optimize


def test_line_search() -> None:
    x, down = Tensor([1.8, 1.7]), Tensor([-1.0, -1.0])
    found = optimize.line_search(square, x, down)
    assert (found.failed, found.nit, found.nfev, found.k, found.a_k, found.status) == (False, 1, 2, 2, 1.0, 0)
    np.testing.assert_allclose(found.g_k.asnumpy(), [1.6, 1.4], rtol=1e-6)
    up = optimize.line_search(square, x, -down)
    assert (up.failed, up.nfev, up.status) == (True, 12, 1)
    short = optimize.line_search(square, x, down, maxiter=1, c2=0.1)
    assert (short.failed, short.a_k, short.status) == (True, 0.0, 3)
    told = optimize.line_search(
        lambda v: (v**4).sum(), x, down, gfk=Tensor([23.3, 19.6]), old_fval=Tensor(18.9), old_old_fval=Tensor(30.0)
    )
    np.testing.assert_allclose([told.a_k, told.f_k], [0.52265733, 4.5835037], rtol=1e-6)  # as MindSpore
    assert told.nfev == 1


def test_zoom_fulfils_the_conditions() -> None:
    def wavy(v: Tensor) -> Tensor:
        return (v**2 + 3 * ms.ops.sin(5 * v)).sum()

    x, p = Tensor([2.0], ms.float64), Tensor([4.0], ms.float64)
    found = optimize.line_search(wavy, x, p, c2=0.1)
    slope = ms.grad(wavy)
    assert not found.failed
    assert found.f_k <= wavy(x).item() + 1e-4 * found.a_k * (slope(x) * p).item()
    assert abs((slope(x + found.a_k * p) * p).item()) <= -0.1 * (slope(x) * p).item()
