"""Functions of functions: gradients and graphs.

Reading order: `functional` (pure functions with explicit state; the basis of all others), `differentiate`,
`recorded_forward`, `grad`, `jacobian`, `taylor`, `vmap`, `custom`, `tensor_hooks`, `saved_tensors`, `decorators`; then
`capture`, `graph_entry`, `any_size_graphs`, `advice` (in place of what a graph cannot take), `jit`, `jit_options` and
`control_ops`, `controlflow` (Python's statements in a graph), `graph` (the parts of a captured graph), `parallel`
(graphs of all devices) and `debug`.
"""

from sporax._src.transform.debug import checked  # noqa: F401  (tells `capture` of the context's choice)
