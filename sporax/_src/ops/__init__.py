"""Level 2: the op table, one file per family, and its views (functions, Tensor methods, Primitive classes)."""

from sporax._src.ops import arithmetic  # noqa: F401  (importing a family registers its rows)
from sporax._src.ops import (  # noqa: F401
    comparison,
    cumulative,
    elementwise,
    operators,
    pairwise,
    reduction,
    reduction_views,
    selection,
    special,
    statistics,
)
from sporax._src.ops import (  # noqa: F401  (neural networks)
    activation,
    adaptive,
    convolution,
    loss,
    loss_regression,
    normalization,
    pooling,
)
from sporax._src.ops import methods, primitive
from sporax._src.ops.primitive import PRIMITIVES, Primitive
from sporax._src.ops.table import TABLE

methods.bind()
primitive.build()

PUBLIC = {name: row.public for name, row in TABLE.items() if not name.startswith("_")} | PRIMITIVES | {"Primitive": Primitive}
