"""Making, moving, picking and placing elements.

Reading order: `creation`, `shape`, `joining`, `index_plan`, `indexing`, `gather`, `scatter`, `assign`, `selection`,
`sorting`, `cast`, `pad`.
"""

from sporax._src.ops.array import (  # noqa: F401  (importing a family registers its rows)
    assign,
    cast,
    creation,
    gather,
    index_plan,
    indexing,
    joining,
    pad,
    scatter,
    selection,
    shape,
    sorting,
)
