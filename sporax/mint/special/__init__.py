"""Special functions with torch's signatures."""

from sporax._src.ops.mint_special import __all__, erfc, exp2, expm1, log1p, log_softmax, round, sinc
