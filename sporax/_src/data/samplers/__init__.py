"""Samplers: which rows of a source come, in which order; under one seed the same as MindSpore's."""

from sporax._src.data.samplers.base import BuiltinSampler, IterSampler, Sampler, Shuffle
from sporax._src.data.samplers.chosen import PKSampler, SubsetRandomSampler, SubsetSampler, WeightedRandomSampler
from sporax._src.data.samplers.random import DistributedSampler, RandomSampler, SequentialSampler
from sporax._src.data.samplers.select import select_sampler

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
    "select_sampler",
]
