"""Sources: datasets that no other dataset feeds, one file for each kind of data.

Reading order: `mappable` (the base of sources with numbered rows), `generator`, `slices`, `folder`, `class_names`,
`mnist_cifar`, `celeba`, `mindrecord`; `files` (the base of sources that share files among workers), `tables`, `schema`,
`tfrecord`. Public data sets: `stored` (the base of those that list their rows first) with `labelled`, `captioned`, `boxes`,
`scenes`, `sounds` (with `gtzan_split`); `folder_files` (of those that read a folder's files) with `news`, `sentences`,
`translations`; `digits`, which are in memory whole; `synthetic`.
"""

from sporax._src.data.sources.boxes import CocoDataset, KITTIDataset, VOCDataset, WIDERFaceDataset
from sporax._src.data.sources.captioned import FlickrDataset, LFWDataset, PhotoTourDataset, SBUDataset
from sporax._src.data.sources.celeba import CelebADataset
from sporax._src.data.sources.digits import (
    EMnistDataset,
    KMnistDataset,
    QMnistDataset,
    SemeionDataset,
    STL10Dataset,
    SVHNDataset,
    USPSDataset,
)
from sporax._src.data.sources.files import TextFileDataset
from sporax._src.data.sources.folder import ImageFolderDataset
from sporax._src.data.sources.generator import GeneratorDataset
from sporax._src.data.sources.labelled import (
    Caltech101Dataset,
    Caltech256Dataset,
    Flowers102Dataset,
    Food101Dataset,
    LSUNDataset,
    ManifestDataset,
    OmniglotDataset,
    Places365Dataset,
    RenderedSST2Dataset,
    SUN397Dataset,
)
from sporax._src.data.sources.mappable import MappableDataset, SourceDataset
from sporax._src.data.sources.mindrecord import MindDataset
from sporax._src.data.sources.mnist_cifar import Cifar10Dataset, Cifar100Dataset, FashionMnistDataset, MnistDataset
from sporax._src.data.sources.news import (
    AGNewsDataset,
    AmazonReviewDataset,
    DBpediaDataset,
    SogouNewsDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)
from sporax._src.data.sources.scenes import CityscapesDataset, DIV2KDataset, SBDataset
from sporax._src.data.sources.schema import Schema
from sporax._src.data.sources.sentences import (
    CoNLL2000Dataset,
    EnWik9Dataset,
    IMDBDataset,
    PennTreebankDataset,
    SQuADDataset,
    SST2Dataset,
    UDPOSDataset,
    WikiTextDataset,
)
from sporax._src.data.sources.slices import NumpySlicesDataset, PaddedDataset
from sporax._src.data.sources.sounds import (
    CMUArcticDataset,
    GTZANDataset,
    LibriTTSDataset,
    LJSpeechDataset,
    SpeechCommandsDataset,
    TedliumDataset,
    YesNoDataset,
)
from sporax._src.data.sources.synthetic import FakeImageDataset, RandomDataset
from sporax._src.data.sources.tables import CLUEDataset, CSVDataset
from sporax._src.data.sources.tfrecord import TFRecordDataset
from sporax._src.data.sources.translations import IWSLT2016Dataset, IWSLT2017Dataset, Multi30kDataset

__all__ = [
    "CocoDataset",
    "KITTIDataset",
    "VOCDataset",
    "WIDERFaceDataset",
    "FlickrDataset",
    "LFWDataset",
    "PhotoTourDataset",
    "SBUDataset",
    "EMnistDataset",
    "KMnistDataset",
    "QMnistDataset",
    "STL10Dataset",
    "SVHNDataset",
    "SemeionDataset",
    "USPSDataset",
    "FakeImageDataset",
    "RandomDataset",
    "Caltech101Dataset",
    "Caltech256Dataset",
    "Flowers102Dataset",
    "Food101Dataset",
    "LSUNDataset",
    "ManifestDataset",
    "OmniglotDataset",
    "Places365Dataset",
    "RenderedSST2Dataset",
    "SUN397Dataset",
    "AGNewsDataset",
    "AmazonReviewDataset",
    "DBpediaDataset",
    "SogouNewsDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
    "CityscapesDataset",
    "DIV2KDataset",
    "SBDataset",
    "CoNLL2000Dataset",
    "EnWik9Dataset",
    "IMDBDataset",
    "PennTreebankDataset",
    "SQuADDataset",
    "SST2Dataset",
    "UDPOSDataset",
    "WikiTextDataset",
    "CMUArcticDataset",
    "GTZANDataset",
    "LJSpeechDataset",
    "LibriTTSDataset",
    "SpeechCommandsDataset",
    "TedliumDataset",
    "YesNoDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "Multi30kDataset",
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
