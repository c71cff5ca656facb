"""mindspore.dataset: sources, transformations, samplers and settings of the data pipeline."""

from sporax._src.data.dataset import Dataset
from sporax._src.data.iterator import DictIterator, Iterator, TupleIterator
from sporax._src.data.samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Shuffle,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from sporax._src.data.sources.celeba import CelebADataset
from sporax._src.data.sources.files import TextFileDataset
from sporax._src.data.sources.folder import ImageFolderDataset
from sporax._src.data.sources.generator import GeneratorDataset
from sporax._src.data.sources.images import Cifar10Dataset, Cifar100Dataset, FashionMnistDataset, MnistDataset
from sporax._src.data.sources.mappable import MappableDataset, SourceDataset
from sporax._src.data.sources.mindrecord import MindDataset
from sporax._src.data.sources.schema import Schema
from sporax._src.data.sources.slices import NumpySlicesDataset, PaddedDataset
from sporax._src.data.sources.tables import CLUEDataset, CSVDataset
from sporax._src.data.sources.tfrecord import TFRecordDataset
from sporax._src.data.transformations import (
    BatchDataset,
    BatchInfo,
    BucketBatchByLengthDataset,
    ConcatDataset,
    FilterDataset,
    MapDataset,
    PaddedBatchDataset,
    ProjectDataset,
    RenameDataset,
    RepeatDataset,
    ShuffleDataset,
    SkipDataset,
    SyncWaitDataset,
    TakeDataset,
    ZipDataset,
    zip,
)
from sporax.dataset import audio, config, text, transforms, vision

__all__ = [
    "BatchDataset",
    "BatchInfo",
    "BucketBatchByLengthDataset",
    "BuiltinSampler",
    "CLUEDataset",
    "CSVDataset",
    "CelebADataset",
    "Cifar100Dataset",
    "Cifar10Dataset",
    "ConcatDataset",
    "Dataset",
    "DictIterator",
    "DistributedSampler",
    "FashionMnistDataset",
    "FilterDataset",
    "GeneratorDataset",
    "ImageFolderDataset",
    "IterSampler",
    "Iterator",
    "MapDataset",
    "MappableDataset",
    "MindDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedBatchDataset",
    "PaddedDataset",
    "ProjectDataset",
    "RandomSampler",
    "RenameDataset",
    "RepeatDataset",
    "Sampler",
    "Schema",
    "SequentialSampler",
    "Shuffle",
    "ShuffleDataset",
    "SkipDataset",
    "SourceDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "SyncWaitDataset",
    "TFRecordDataset",
    "TakeDataset",
    "TextFileDataset",
    "TupleIterator",
    "WeightedRandomSampler",
    "ZipDataset",
    "audio",
    "config",
    "text",
    "transforms",
    "vision",
    "zip",
]
