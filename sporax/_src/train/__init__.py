"""Training and evaluation over datasets.

Reading order: `model` (with `rows`, `joined_batch`, `dataset_helper`, `own_loops`), `callbacks`, `metrics`, `amp` (mixed
precision), `loss_scale` and `scaler`, `optax_optimizer`, `run_state` (a run in one file); `network_summary`, `cell_values`,
`layouts`, `thor`, `install_check`.
"""
