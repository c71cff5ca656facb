"""Methods of Tensor that are more than a row under another name.

Reading order: `operators`, `axes`, `bits`, `values`, `elements`, `reductions`, `random`, `sparse`, `storage`, `exchange`.
"""

from sporax._src import ops  # noqa: F401  (registers the rows)
from sporax._src.api.tensor import (  # noqa: F401  (registers)
    axes,
    bits,
    elements,
    exchange,
    operators,
    random,
    reductions,
    sparse,
    storage,
    values,
)
from sporax._src.bindings import tensor_methods

tensor_methods.bind()
