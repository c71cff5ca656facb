"""Operations on plain arrays for `Dataset.map`.

Reading order: `base` (what an operation is), `arrays`, `choices` (operations made of operations).
"""

from sporax._src.data.transforms.arrays import (
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    Relational,
    Slice,
    TypeCast,
    Unique,
)
from sporax._src.data.transforms.base import PyTensorOperation, TensorOperation, not_random
from sporax._src.data.transforms.choices import Compose, RandomApply, RandomChoice, RandomOrder

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TensorOperation",
    "TypeCast",
    "Unique",
    "not_random",
]
