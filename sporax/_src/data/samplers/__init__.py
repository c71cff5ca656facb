"""Samplers: the selection and order of the rows of a source; with one seed they are the same as MindSpore's.

Reading order: `base` (the interface of a sampler), `random`, `chosen`, `select` (the sampler for a source's arguments).
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
