"""Sources: datasets that no other dataset feeds, one file for each kind of data.

Reading order: `mappable` (the base of sources with numbered rows), `generator`, `slices`, `folder`, `images`, `celeba`,
`mindrecord`; `files` (the base of sources that share files among workers), `tables`, `schema`, `tfrecord`.
"""

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

__all__ = [
    "CLUEDataset",
    "CSVDataset",
    "CelebADataset",
    "Cifar100Dataset",
    "Cifar10Dataset",
    "FashionMnistDataset",
    "GeneratorDataset",
    "ImageFolderDataset",
    "MappableDataset",
    "MindDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "PaddedDataset",
    "Schema",
    "SourceDataset",
    "TFRecordDataset",
    "TextFileDataset",
]
