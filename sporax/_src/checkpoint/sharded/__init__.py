"""Checkpoints of runs on several devices.

Reading order: `slices` (which file has a piece), `merging`, `transforming` (to another number of devices), `distributed` (a
folder of safetensors files), `redundancy` (processes with equal pieces), `strategy_files`.
"""
