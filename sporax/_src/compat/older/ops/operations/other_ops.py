"""Operators of parameter servers."""

from sporax._src.compat.legacy.parameter_server import Pull, Push

__all__ = ["Pull", "Push"]
