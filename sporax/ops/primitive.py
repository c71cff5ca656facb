"""The base of Primitive classes, and decorators of Primitives and of functions for constants."""

from sporax._src.ops.composite import constexpr
from sporax._src.ops.composite import constexpr as _primexpr
from sporax._src.ops.inner import prim_attr_register
from sporax._src.ops.primitive import Primitive, PrimitiveWithCheck, PrimitiveWithInfer

__all__ = [
    "Primitive",
    "PrimitiveWithCheck",
    "PrimitiveWithInfer",
    "_primexpr",
    "constexpr",
    "prim_attr_register",
]
