"""A decorator of constructors."""

from sporax._src.compat.legacy.registers import cell_attr_register

__all__ = [
    "cell_attr_register",
]
