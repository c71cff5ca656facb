"""The base of Primitive classes."""

from sporax._src.ops.primitive import Primitive, PrimitiveWithCheck, PrimitiveWithInfer

__all__ = [
    "Primitive",
    "PrimitiveWithCheck",
    "PrimitiveWithInfer",
]
