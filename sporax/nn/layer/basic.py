"""Basic layers."""

from sporax._src.nn.dropout import Dropout, Dropout1d, Dropout2d, Dropout3d, DropoutExt
from sporax._src.nn.embedding import OneHot
from sporax._src.nn.image import Unfold, Upsample
from sporax._src.nn.linear import Dense, Flatten, Identity, Linear, Unflatten
from sporax._src.nn.math import (
    ClipByNorm,
    L1Regularizer,
    MatrixDiag,
    MatrixDiagPart,
    MatrixSetDiag,
    Norm,
    Roll,
    Tril,
    Triu,
)
from sporax._src.nn.padding import Pad

__all__ = [
    "ClipByNorm",
    "Dense",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "DropoutExt",
    "Flatten",
    "Identity",
    "L1Regularizer",
    "Linear",
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixSetDiag",
    "Norm",
    "OneHot",
    "Pad",
    "Roll",
    "Tril",
    "Triu",
    "Unflatten",
    "Unfold",
    "Upsample",
]
