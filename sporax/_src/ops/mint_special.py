"""The namespace `mint.special`."""

from sporax._src.ops.mint_functional import log_softmax
from sporax._src.ops.mint_view import erfc, exp2, expm1, log1p, round, sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
