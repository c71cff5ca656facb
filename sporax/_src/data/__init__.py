"""Level 2: the dataset pipeline. Standard library and NumPy only, so workers never start a device.

Reading order: `dataset` (what a node of the pipeline must answer), `run` (what one iterator fixes), `sources/`,
`transformations/` (one file each, bound onto `Dataset`), `samplers`, `iterator`; `transforms/` and `vision/` hold the
operations for `map`; `streams` and `randomness` hold the two kinds of randomness.
"""

from sporax._src.data import transformations as transformations
