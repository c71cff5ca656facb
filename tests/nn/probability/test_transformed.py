"""Bijectors and what they make of distributions: the rows of the tables, and a program's own."""

from typing import Any

import numpy as np
import pytest
from probability_tables import distributions_of
from scipy import stats

import sporax as ms
from sporax import Tensor
from sporax.nn.probability import bijector as msb
from sporax.nn.probability import distribution as msd

TestRows = distributions_of("sporax._src.nn.probability.transformed")


def test_own_bijector_and_distribution() -> None:
    class Twice(msb.Bijector):
        def __init__(self) -> None:
            super().__init__(is_constant_jacobian=True, name="Twice", param={"param_dict": {}})

        def _forward(self, x: Tensor) -> Tensor:
            return 2 * x

        def _inverse(self, y: Tensor) -> Tensor:
            return y / 2

        def _inverse_log_jacobian(self, y: Tensor) -> Tensor:
            return ms.ops.full_like(y, -np.log(2.0))

    twice = Twice()(msd.Normal(0.5, 1.0))
    assert isinstance(twice, msd.TransformedDistribution) and twice.mean().item() == 1.0
    np.testing.assert_allclose(twice.prob(Tensor([1.5])).asnumpy(), stats.norm(1.0, 2.0).pdf([1.5]), rtol=1e-6)
    assert twice.sample((3,)).shape == (3,)
    with pytest.raises(NotImplementedError, match="forward_log_jacobian is not implemented for Twice bijector"):
        Twice().forward_log_jacobian(Tensor(1.0))
    with pytest.raises(ValueError, match="Twice: a bijector has forward, inverse and their log_jacobian, got 'back'"):
        Twice()("back", Tensor(1.0))

    class Shifted(msd.Normal):
        def _log_prob(self, value: Tensor, mean: Any = None, sd: Any = None) -> Tensor:
            mean, sd = self._check_param_type(mean, sd)
            return -((self._check_value(value, "value") - mean - 1) ** 2) / sd

    assert Shifted(0.0, 1.0).prob(Tensor(1.0)).item() == 1.0
