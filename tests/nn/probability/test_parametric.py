"""What the parameters of a distribution must be."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.nn.probability.parametric import positive, probability
from sporax.nn.probability import distribution as msd


def test_conditions_of_parameters() -> None:
    positive("rate", np.array([0.5, 2.0]))
    probability("probs", np.array([0.25, 0.75]))
    with pytest.raises(ValueError, match=r"^rate must be greater than zero\.$"):
        positive("rate", np.array([1.0, 0.0]))
    with pytest.raises(ValueError, match=r"^Probabilities must be greater than zero$"):
        probability("probs", np.array([0.0, 0.5]))
    with pytest.raises(ValueError, match=r"^Probabilities must be less than one$"):
        probability("probs", np.array([0.5, 1.0]))


def test_parameters_come_from_the_constructor_or_with_the_call() -> None:
    x = Tensor([1.0])
    known, open_ = msd.Exponential(2.0), msd.Exponential()
    assert known.rate.item() == 2.0 and open_.rate is None
    np.testing.assert_allclose(known.prob(x).asnumpy(), open_.prob(x, Tensor([2.0])).asnumpy(), rtol=1e-6)
    with pytest.raises(ValueError, match="rate must be greater than zero"):
        msd.Exponential(-1.0)
    with pytest.raises(TypeError, match=r"For 'Normal', the 'dtype' should be one of .*, but got mindspore.int32"):
        msd.Normal(0.0, 1.0, dtype=ms.int32)
    assert repr(msd.Exponential([1.0, 2.0])) == "Exponential(batch_shape = (2,))"
