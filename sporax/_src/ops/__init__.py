"""Level 2: the op table, one file per family, and its views (functions, Tensor methods, Primitive classes)."""

from sporax._src.ops import arithmetic  # noqa: F401  (importing a family registers its rows)
from sporax._src.ops import (  # noqa: F401
    bessel,
    comparison,
    counting,
    cumulative,
    dropout,
    elementwise,
    operators,
    pairwise,
    predicates,
    random,
    random_views,
    reduction,
    reduction_views,
    sampling,
    selection,
    special,
    statistics,
    trigonometry,
)
from sporax._src.ops import (  # noqa: F401  (neural networks)
    activation,
    adaptive,
    color,
    convolution,
    convolution_transpose,
    embedding,
    image_sampling,
    loss,
    resize,
    loss_regression,
    normalization,
    padding,
    rearrange,
    sampling,
    boxes,
    ctc,
    attention,
    recurrent,
    pooling,
)
from sporax._src.ops import (  # noqa: F401  (arrays)
    array_views,
    assign,
    conversion,
    creation,
    diagonals,
    element_methods,
    gathering,
    indexing,
    joining,
    linalg,
    products,
    scattering,
    shape,
    sorting,
    tensor_methods,
)
from sporax._src.ops import composite, gradients, methods, optimizer_steps, primitive  # noqa: F401
from sporax._src.ops.primitive import PRIMITIVES, Primitive
from sporax._src.ops.table import TABLE

methods.bind()
primitive.build()
gradients.build()

PUBLIC = {name: row.public for name, row in TABLE.items() if not name.startswith("_")} | PRIMITIVES | {"Primitive": Primitive} | composite.PUBLIC
