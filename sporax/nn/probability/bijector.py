"""mindspore.nn.probability.bijector: invertible maps of numbers, with their derivatives."""

from sporax._src.nn.probability.bijectors import Exp, GumbelCDF, Invert, PowerTransform, ScalarAffine, Softplus
from sporax._src.nn.probability.transformed import Bijector

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]
