"""Types, Tensors, Parameters, and the two ways a program runs.

Reading order: `dtype`, `execution` (the current execution mode), `scope` (a trace, with `forward_rollback` and
`tensor_writes`), `tape` (PyNative gradients), `derivative`, `views`, `tensor`, `parameter` (with `param_info`, `hints`),
`generator` (random state), `stateful` (the interface of Cells for transforms), `tree`; then `initializer`, `initial_draws`,
`sparse`, `buffer`, `symbol`, `traced_number`, `conversion`, `printing`, `hidden_state`, `atomic_step`.
"""
