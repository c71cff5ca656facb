"""The foundation of all other packages.

Reading order: `typing`, `errors` (how values are shown in messages), `config` (the context, and the only reader of environment
variables), `release` (of MindSpore), `settings` (options by topic), `jax_compat` (the only access to private JAX, but for
`jax_service`, the program of another process), `pieces` (arrays of several devices), `compile_cache` (compiled graphs on disk),
`atomic` (files that are written whole or not at all), `encryption`, `pickles`, `json_text`, `logging`, `signals`, `completion`
(waiting for JAX, and forks), `stopwatch`, `numpy_integers`, `protobuf_messages`, `public_names`, `command_line`, `hints` (what
to write in place of a mistyped name), `tracebacks`.
"""
