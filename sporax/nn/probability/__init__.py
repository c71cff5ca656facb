"""mindspore.nn.probability: distributions and bijectors."""

from sporax.nn.probability import bijector, distribution

__all__ = ["bijector", "distribution"]
