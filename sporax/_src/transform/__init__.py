"""Functions of functions: gradients and graphs.

Reading order: `functional` (state in, state out; everything stands on it), `differentiate`, `grad`, `jacobian`, `taylor`, `vmap`,
`custom`, `tensor_hooks`, `decorators`; then `capture`, `jit` and `control_ops`, `controlflow` (Python's statements in a graph),
`graph` (what a captured graph is) and `debug`.
"""

from sporax._src.transform.debug import checked  # noqa: F401  (tells `capture` of the context's choice)
