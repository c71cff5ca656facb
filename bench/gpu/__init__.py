"""Training steps on one NVIDIA GPU: sporax beside torch and JAX written by hand, with the same models, batches and precision.

Reading order: `sizes` (what the models are made of), `sporax_steps`, `jax_steps` and `torch_steps` (one step of each model),
`eager_ops` (operators and an update in eager mode), `contestant` (one process: one contestant with one model), `__main__`.

Weights are drawn by each framework. Losses are only looked at for being finite and falling.
"""
