"""Types, Tensors, Parameters, and the two ways a program runs.

Reading order: `dtype`, `execution` (what runs now), `scope` (a trace, with `forward_rollback` and `tensor_writes`), `tape`
(PyNative gradients), `views`, `tensor`, `parameter` (with `param_info`, `hints`), `generator` (random state), `stateful` (what
transforms know of Cells), `tree`; then `initializer` and `initial_draws`, `sparse`, `buffer`, `symbol`, `traced_number`,
`conversion`, `printing`, `hidden_state`, `atomic_step`.
"""
