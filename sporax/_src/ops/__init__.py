"""Level 2: the op table, one file per family, and its views (functions, Tensor methods, Primitive classes)."""

from sporax._src.ops import (  # noqa: F401  (importing a family registers its rows)
    activation,
    adaptive,
    arithmetic,
    array_views,
    assign,
    attention,
    bessel,
    boxes,
    color,
    comparison,
    composite,
    conversion,
    convolution,
    convolution_transpose,
    counting,
    creation,
    ctc,
    cumulative,
    diagonals,
    dropout,
    element_methods,
    elementwise,
    embedding,
    fft,
    gathering,
    gradients,
    image_sampling,
    indexing,
    inner,
    joining,
    linalg,
    loss,
    loss_regression,
    methods,
    normalization,
    operators,
    optimizer_steps,
    padding,
    pairwise,
    pooling,
    predicates,
    primitive,
    products,
    random,
    random_views,
    rearrange,
    recurrent,
    reduction,
    reduction_views,
    resize,
    roi_pooling,
    sampling,
    scattering,
    selection,
    shape,
    sorting,
    special,
    statistics,
    tensor_methods,
    trigonometry,
)
from sporax._src.ops.primitive import PRIMITIVES, Primitive
from sporax._src.ops.table import TABLE

methods.bind()
primitive.build()
gradients.build()

PUBLIC = (
    {name: row.public for name, row in TABLE.items() if not name.startswith("_")}
    | PRIMITIVES
    | {"Primitive": Primitive, "PrimitiveWithCheck": Primitive, "PrimitiveWithInfer": Primitive}
    | composite.PUBLIC
)
