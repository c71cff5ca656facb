"""Data types of NumPy."""

from ml_dtypes import bfloat16

__all__ = [
    "bfloat16",
]
