"""Classes that programs print: each names MindSpore's module of it while `mindspore` is served.

A line is `path = home: names`: the module of MindSpore's that defines the classes, and the public module that has them.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator

__all__ = ["shown"]

_LINES = """\
common.tensor = sporax: Tensor
common.parameter = sporax: Parameter ParameterTuple
common.sparse_tensor = sporax: COOTensor CSRTensor RowTensor
common.initializer = sporax.common.initializer: Constant Dirac HeNormal HeUniform Identity Initializer Normal One
    Orthogonal Sparse TruncatedNormal Uniform VarianceScaling XavierNormal XavierUniform Zero
dataset.engine.datasets = sporax.dataset: BatchDataset BatchInfo BucketBatchByLengthDataset ConcatDataset Dataset
    FilterDataset MapDataset MappableDataset PaddedBatchDataset ProjectDataset RenameDataset RepeatDataset Schema
    ShuffleDataset SkipDataset SourceDataset SyncWaitDataset TakeDataset ZipDataset
dataset.engine.datasets_standard_format = sporax.dataset: CSVDataset MindDataset TFRecordDataset
dataset.engine.datasets_text = sporax.dataset: AGNewsDataset AmazonReviewDataset CLUEDataset CoNLL2000Dataset
    DBpediaDataset EnWik9Dataset IMDBDataset IWSLT2016Dataset IWSLT2017Dataset Multi30kDataset PennTreebankDataset
    SQuADDataset SST2Dataset SogouNewsDataset TextFileDataset UDPOSDataset WikiTextDataset YahooAnswersDataset
    YelpReviewDataset
dataset.engine.datasets_user_defined = sporax.dataset: GeneratorDataset NumpySlicesDataset PaddedDataset
dataset.engine.datasets_vision = sporax.dataset: Caltech101Dataset Caltech256Dataset CelebADataset Cifar100Dataset
    Cifar10Dataset CityscapesDataset CocoDataset DIV2KDataset EMnistDataset FakeImageDataset FashionMnistDataset
    FlickrDataset Flowers102Dataset Food101Dataset ImageFolderDataset KITTIDataset KMnistDataset LFWDataset
    LSUNDataset ManifestDataset MnistDataset OmniglotDataset PhotoTourDataset Places365Dataset QMnistDataset
    RandomDataset RenderedSST2Dataset SBDataset SBUDataset STL10Dataset SUN397Dataset SVHNDataset SemeionDataset
    USPSDataset VOCDataset WIDERFaceDataset
dataset.engine.samplers = sporax.dataset: BuiltinSampler DistributedSampler IterSampler PKSampler RandomSampler
    Sampler SequentialSampler Shuffle SubsetRandomSampler SubsetSampler WeightedRandomSampler
"""


def shown() -> Iterator[tuple[type, str, str]]:
    """Give each class, its public module, and MindSpore's path of it."""
    for line in _LINES.replace("\n    ", " ").splitlines():
        path, _, rest = line.partition(" = ")
        home, _, names = rest.partition(": ")
        module = importlib.import_module(home)
        for name in names.split():
            yield getattr(module, name), home, path
