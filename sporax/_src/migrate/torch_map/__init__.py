"""The map from torch's API to MindSpore's.

Read `rows` (the language of the tables in the folders `nn`, `tensor`, `torch` and `training`), then `expressions` and `names`.
"""
