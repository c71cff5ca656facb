"""Classes that programs print: each names MindSpore's module of it while the name `mindspore` is served."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

# Of each module of MindSpore, as far as 2.7.0 prints it: where the classes are in sporax, and their names.
SHOWN = {
    "common.tensor": ("", "Tensor"),
    "common.parameter": ("", "Parameter ParameterTuple"),
    "common.sparse_tensor": ("", "COOTensor CSRTensor RowTensor"),
    "common.initializer": (
        "common.initializer",
        "Constant Dirac HeNormal HeUniform Identity Initializer Normal One Orthogonal Sparse "
        "TruncatedNormal Uniform VarianceScaling XavierNormal XavierUniform Zero",
    ),
    "dataset.engine.datasets": (
        "dataset",
        "BatchDataset BatchInfo BucketBatchByLengthDataset ConcatDataset Dataset FilterDataset MapDataset "
        "MappableDataset PaddedBatchDataset ProjectDataset RenameDataset RepeatDataset Schema "
        "ShuffleDataset SkipDataset SourceDataset SyncWaitDataset TakeDataset VisionBaseDataset ZipDataset",
    ),
    "dataset.engine.datasets_user_defined": ("dataset", "GeneratorDataset NumpySlicesDataset PaddedDataset"),
    "dataset.engine.datasets_standard_format": ("dataset", "CSVDataset MindDataset TFRecordDataset"),
    "dataset.engine.datasets_vision": (
        "dataset",
        "Caltech101Dataset Caltech256Dataset CelebADataset Cifar100Dataset Cifar10Dataset CityscapesDataset "
        "CocoDataset DIV2KDataset EMnistDataset FakeImageDataset FashionMnistDataset FlickrDataset "
        "Flowers102Dataset Food101Dataset ImageFolderDataset KITTIDataset KMnistDataset LFWDataset "
        "LSUNDataset ManifestDataset MnistDataset OmniglotDataset PhotoTourDataset Places365Dataset "
        "QMnistDataset RandomDataset RenderedSST2Dataset SBDataset SBUDataset STL10Dataset SUN397Dataset "
        "SVHNDataset SemeionDataset USPSDataset VOCDataset WIDERFaceDataset",
    ),
    "dataset.engine.datasets_text": (
        "dataset",
        "AGNewsDataset AmazonReviewDataset CLUEDataset CoNLL2000Dataset DBpediaDataset EnWik9Dataset "
        "IMDBDataset IWSLT2016Dataset IWSLT2017Dataset Multi30kDataset PennTreebankDataset SQuADDataset "
        "SST2Dataset SogouNewsDataset TextFileDataset UDPOSDataset WikiTextDataset YahooAnswersDataset "
        "YelpReviewDataset",
    ),
    "dataset.engine.datasets_audio": (
        "dataset",
        "CMUArcticDataset GTZANDataset LJSpeechDataset LibriTTSDataset SpeechCommandsDataset TedliumDataset "
        "YesNoDataset",
    ),
    "dataset.engine.iterators": ("dataset", "DictIterator TupleIterator"),
    "dataset.engine.samplers": (
        "dataset",
        "BuiltinSampler DistributedSampler IterSampler PKSampler RandomSampler Sampler SequentialSampler "
        "SubsetRandomSampler SubsetSampler WeightedRandomSampler",
    ),
}


def classes() -> Iterator[tuple[type, str, str]]:
    """Give each class with the module it names while `mindspore` is served, and the one it names else."""
    for path, (home, names) in SHOWN.items():
        package = importlib.import_module(f"sporax.{home}".strip("."))
        for name in names.split():
            yield getattr(package, name), f"mindspore.{path}", package.__name__
