"""Mathematical layers."""

from sporax._src.nn.math import (
    DiGamma,
    IGamma,
    LBeta,
    LGamma,
    MatDet,
    MatInverse,
    MatMul,
    Moments,
    Range,
    ReduceLogSumExp,
)

__all__ = [
    "DiGamma",
    "IGamma",
    "LBeta",
    "LGamma",
    "MatDet",
    "MatInverse",
    "MatMul",
    "Moments",
    "Range",
    "ReduceLogSumExp",
]
