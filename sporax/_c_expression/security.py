"""What the library was built with."""

from sporax._src.compat.legacy.expression import enable_security

__all__ = ["enable_security"]
