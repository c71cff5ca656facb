"""mindspore.nn.probability.distribution: probability distributions."""

from sporax._src.nn.probability.discrete import Bernoulli, Categorical, Geometric, Poisson
from sporax._src.nn.probability.distribution import Distribution
from sporax._src.nn.probability.location_scale import Cauchy, HalfNormal, Laplace, Logistic, Normal, StudentT
from sporax._src.nn.probability.log_normal_gumbel import Gumbel, LogNormal
from sporax._src.nn.probability.positive import Beta, Exponential, Gamma, Uniform
from sporax._src.nn.probability.transformed import TransformedDistribution

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Logistic",
    "Normal",
    "Poisson",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
]
