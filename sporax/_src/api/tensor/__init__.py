"""Methods of Tensor that are more than a row under another name.

Reading order: `operators`, `axes`, `values`, `elements`, `reductions`, `random`, `sparse`.
"""

from sporax._src import ops  # noqa: F401  (registers the rows)
from sporax._src.api.tensor import axes, elements, operators, random, reductions, sparse, values  # noqa: F401  (registers)
from sporax._src.bindings import tensor_methods

tensor_methods.bind()
