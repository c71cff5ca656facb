"""mindspore.dataset.engine.datasets: the dataset classes, under their old path."""

from sporax._src.data.dataset import Dataset
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

__all__ = [
    "BatchDataset",
    "BatchInfo",
    "BucketBatchByLengthDataset",
    "CLUEDataset",
    "CSVDataset",
    "CelebADataset",
    "Cifar100Dataset",
    "Cifar10Dataset",
    "ConcatDataset",
    "Dataset",
    "FashionMnistDataset",
    "FilterDataset",
    "GeneratorDataset",
    "ImageFolderDataset",
    "MapDataset",
    "MappableDataset",
    "MindDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PaddedBatchDataset",
    "PaddedDataset",
    "ProjectDataset",
    "RenameDataset",
    "RepeatDataset",
    "Schema",
    "ShuffleDataset",
    "SkipDataset",
    "SourceDataset",
    "SyncWaitDataset",
    "TFRecordDataset",
    "TakeDataset",
    "TextFileDataset",
    "ZipDataset",
    "zip",
]
