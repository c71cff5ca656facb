"""The base of Primitive classes, and decorators of Primitives and of functions for constants."""

from sporax._src.api.primitives.higher_order import constexpr
from sporax._src.api.primitives.higher_order import constexpr as _primexpr
from sporax._src.api.primitives.internal import prim_attr_register
from sporax._src.engine.primitive import Primitive, PrimitiveWithCheck, PrimitiveWithInfer

__all__ = [
    "Primitive",
    "PrimitiveWithCheck",
    "PrimitiveWithInfer",
    "_primexpr",
    "constexpr",
    "prim_attr_register",
]
