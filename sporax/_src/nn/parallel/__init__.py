"""Cells of parallel training.

Reading order: `auto_parallel` (a network with its settings), `grad_reducer` (data parallelism), `marked_operators` (strategies
on layers); pipelines: `pipeline`, `schedule`, `stage_runner`, `stage_arrays`.
"""
