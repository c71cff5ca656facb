"""The front end's settings."""

from sporax._extends.parse import compile_config

__all__ = [
    "compile_config",
]
