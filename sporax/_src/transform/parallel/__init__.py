"""Graphs of all devices: what `jit` does under parallel training.

Reading order: `shard`, `state_sharding` (how Parameters are cut), `layouts` and `strategy_files`, `spmd_graph` (a graph as one
program of all devices), `auto_parallel` with `strategy_search` and `communication_costs`, `hlo` (reading compiled programs),
`pipeline_stages` (a graph cut into stages), `plan` (what a step needs on hardware you don't have).
"""
