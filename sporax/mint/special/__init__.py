"""Special functions with torch's signatures."""

from sporax._src.api.mint.special import erfc, exp2, expm1, log1p, log_softmax, round, sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
