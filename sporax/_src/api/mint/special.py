"""The namespace `mint.special`."""

from sporax._src.api.mint.functional import log_softmax
from sporax._src.api.mint.namespace import erfc, exp2, expm1, log1p, round, sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
