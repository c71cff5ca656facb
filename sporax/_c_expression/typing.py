"""Kinds of dtypes."""

from sporax._src.core.dtype import BFloat, Bool, Complex, Float, Int, Number, TensorType, Type, UInt

__all__ = [
    "BFloat",
    "Bool",
    "Complex",
    "Float",
    "Int",
    "Number",
    "TensorType",
    "Type",
    "UInt",
]
