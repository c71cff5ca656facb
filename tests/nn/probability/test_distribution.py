"""The base of distributions: texts of errors."""

from typing import Any

import pytest

import sporax as ms
from sporax import Tensor
from sporax.nn.probability import bijector as msb
from sporax.nn.probability import distribution as msd


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: msd.Normal(0.0, 1.0).mean(None, None, None), r"Normal\._mean: expected at most 2 arguments \(mean, sd\), got 3"),
        (lambda: msd.Normal(0.0, 1.0).mean(rate=Tensor(1.0)), r"argument 'rate' is unknown; the arguments are \(mean, sd\)"),
        (lambda: msd.Normal(0.0, 1.0).mean(Tensor(1.0), mean=Tensor(1.0)), "argument 'mean' is given twice"),
        (lambda: msd.Distribution(0, ms.float32, 3, {}), "Distribution: name must be a string, got 3"),
        (lambda: msb.Bijector(name=3), "Bijector: name must be a string, got 3"),
        (lambda: msb.Bijector(1, name="x"), "Bijector: is_constant_jacobian must be a bool, got 1"),
        (lambda: msb.Bijector(name="x", dtype=ms.int32), "For 'Bijector', the 'dtype' should be one of"),
        (lambda: msb.ScalarAffine(1.0, Tensor(1.0, ms.float16)), "shift should have the same dtype as other arguments"),
        (lambda: msb.Invert(3), "Invert: bijector must be a Bijector, got 3"),
        (lambda: msd.TransformedDistribution(3, 4), "TransformedDistribution: bijector must be a Bijector, got 3"),
        (lambda: msd.TransformedDistribution(msb.Exp(), 4), "TransformedDistribution: distribution must be a Distribution"),
        (lambda: msd.TransformedDistribution(msb.Exp(), msd.Bernoulli(0.5)), "the 'dtype' should be one of"),
    ],
)  # fmt: skip
def test_error_texts(call: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        call()
