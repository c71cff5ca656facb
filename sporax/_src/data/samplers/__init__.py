"""Samplers: the selection and order of the rows of a source; with one seed they are the same as MindSpore's.

Reading order: `base` (what a sampler must answer), `random`, `chosen`, `select` (which sampler a source's arguments mean).
"""

from sporax._src.data.samplers.base import BuiltinSampler, IterSampler, Sampler, Shuffle
from sporax._src.data.samplers.chosen import PKSampler, SubsetRandomSampler, SubsetSampler, WeightedRandomSampler
from sporax._src.data.samplers.random import DistributedSampler, RandomSampler, SequentialSampler

__all__ = [
    "BuiltinSampler",
    "DistributedSampler",
    "IterSampler",
    "PKSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Shuffle",
    "SubsetRandomSampler",
    "SubsetSampler",
    "WeightedRandomSampler",
]
