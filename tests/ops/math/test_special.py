"""Special functions: error, gamma, zeta and Bessel functions."""

import numpy as np
from laws.rows import laws_of

from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.math.special")


def gradients(fn, *operands):
    return [g.tolist() for g in ops.GradOperation(get_all=True)(fn)(*operands)]


def test_betainc_has_a_gradient_by_its_bound_alone():
    got = gradients(ops.Betainc(), Tensor([0.5, 1.2]), Tensor([0.3, 2.0]), Tensor([0.2, 0.7]))
    assert got[:2] == [[0, 0], [0, 0]]
    np.testing.assert_allclose(got[2], [0.5739666, 0.73746973], rtol=1e-5)
