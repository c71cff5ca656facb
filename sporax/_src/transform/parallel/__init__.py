"""Graphs of all devices, which `jit` makes in parallel training.

Reading order: `shard`, `state_sharding` (the sharding of Parameters), `layouts` and `strategy_files`, `spmd_graph` (a
graph as one program of all devices), `auto_parallel` with `strategy_search` and `communication_costs`, `hlo` (reading
compiled programs), `pipeline_stages` (a graph cut into stages), `plan` (the cost of a step on hardware you don't have),
`card_plan` (its kernels on a card).
"""
