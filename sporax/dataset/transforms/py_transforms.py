"""mindspore.dataset.transforms.py_transforms: operations on arrays, under their old path and names."""

from sporax._src.data.transforms import (
    Compose,
    PyTensorOperation,
    RandomApply,
    RandomChoice,
    RandomOrder,
    TensorOperation,
)
from sporax._src.data.transforms import OneHot as OneHotOp

__all__ = [
    "Compose",
    "OneHotOp",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "TensorOperation",
]
