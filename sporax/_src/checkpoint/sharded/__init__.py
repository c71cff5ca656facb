"""Checkpoints of runs on several devices.

Reading order: `slices` (which file has a piece), `merging`, `transforming` (to another number of devices), `distributed` (a
folder of safetensors files), `redundancy` (which processes save the same), `strategy_files`.
"""
