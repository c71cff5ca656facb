"""Tensor parallelism: how operators and Parameters are cut over a mesh of devices.

Reading order: `layout` (axes of devices by name), `axis_links` (which axes of an operator belong together), `strategies` (a
strategy checked and applied), `rules` and `special_rules` (what operators ask of strategies), `primitive` (Primitive classes
with a strategy), `halo` and `convolution` (images cut in pieces); the files: `operator_file`, `parameter_layout`,
`mesh_layout`, `parameter_file`, `parameter_proto`. The search for strategies is in `transform.parallel`. XLA does the propagation
of shardings to values without a strategy, when it compiles the graph.
"""
