"""The namespace `ops`: every row and every Primitive class under its public name."""

from sporax._src.ops import PUBLIC

globals().update(PUBLIC)

__all__ = [*sorted(PUBLIC)]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)
