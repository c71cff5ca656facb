"""The namespace `mint.linalg`: views of the op table with torch's signatures."""

from __future__ import annotations

from sporax._src.api.ops import PUBLIC
from sporax._src.bindings.adapters import adapt

LINALG = adapt(
    """
inv(input) -> inverse(input)
matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None) -> matrix_norm(A, ord, dim, keepdim, dtype=dtype)
norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> norm(A, ord, dim, keepdim, dtype=dtype)
qr(A, mode="reduced") -> qr(A, mode)
vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None) -> vector_norm(x, ord, dim, keepdim, dtype=dtype)
""",
    PUBLIC,
    "mint.linalg",
)

globals().update(LINALG)

__all__ = [*sorted(LINALG)]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)
