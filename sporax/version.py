"""The version of MindSpore that programs compare with."""

__version__ = "2.7.0"
__all__ = ["__version__"]
