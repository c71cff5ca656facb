"""Initializers of Parameters."""

from sporax._src.core.initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)
from sporax._src.core.initializer import _aliases as _INITIALIZER_ALIAS
from sporax._src.core.initializer import _named as _register

__all__ = [
    "_INITIALIZER_ALIAS", "_register",
    "Constant", "Dirac", "HeNormal", "HeUniform", "Identity", "Initializer", "Normal", "One", "Orthogonal", "Sparse",
    "TruncatedNormal", "Uniform", "VarianceScaling", "XavierNormal", "XavierUniform", "Zero", "initializer",
]  # fmt: skip
