"""Sparse Tensors: `sparse` (conversion), `arithmetic`, `primitives`."""

from sporax._src.ops.sparse import (  # noqa: F401  (importing a family registers its rows)
    arithmetic,
    primitives,
    sparse,
)
