"""From PyTorch to here: the map of torch's API, the converter of source, weights carried over, and the comparison of two nets.

Read `rows` (the language of the map, whose tables stand in `torch_map/`), then `source` (text with edits), `scopes` and `walk`
(what names and values are), `calls` (a call, by its row), `convert` (one file) and `project`. Nothing here imports torch, but
for those parts that are given something of torch's.
"""
