"""An empty folder: the error names the class that was called, the folder, and files that it expects."""

import inspect
from pathlib import Path

import pytest

import sporax.dataset as ds
from sporax._src.base.public_names import defined_in

EXPECTED = {
    "AGNewsDataset": "train.csv",
    "AmazonReviewDataset": "train.csv",
    "CMUArcticDataset": "txt.done.data",
    "CSVDataset": "/*",
    "Caltech101Dataset": "101_ObjectCategories",
    "Caltech256Dataset": "001.ak47",
    "CelebADataset": "list_attr_celeba.txt",
    "Cifar100Dataset": "train.bin",
    "Cifar10Dataset": "data_batch_1.bin",
    "CityscapesDataset": "leftImg8bit",
    "CoNLL2000Dataset": "train.txt",
    "DBpediaDataset": "train.csv",
    "DIV2KDataset": "DIV2K_train_HR",
    "EMnistDataset": "emnist-digits-train-images-idx3-ubyte",
    "EnWik9Dataset": "enwik9",
    "FashionMnistDataset": "train-images-idx3-ubyte",
    "Flowers102Dataset": "imagelabels.mat",
    "Food101Dataset": "images",
    "GTZANDataset": "blues.00000.wav",
    "IMDBDataset": "train/pos",
    "IWSLT2016Dataset": "train.tags.de-en.de",
    "IWSLT2017Dataset": "train.tags.de-en.de",
    "ImageFolderDataset": ".jpg",
    "KITTIDataset": "data_object_image_2",
    "KMnistDataset": "train-images-idx3-ubyte",
    "LFWDataset": "peopleDevTrain.txt",
    "LJSpeechDataset": "metadata.csv",
    "LSUNDataset": "bedroom_train",
    "LibriTTSDataset": "84_121123.trans.tsv",
    "ManifestDataset": "expected a file",
    "MindDataset": "expected a file",
    "MnistDataset": "t10k-labels-idx1-ubyte",
    "Multi30kDataset": "train.en",
    "OmniglotDataset": "images_background",
    "PennTreebankDataset": "ptb.train.txt",
    "PhotoTourDataset": "liberty",
    "Places365Dataset": "places365_train_standard.txt",
    "QMnistDataset": "qmnist-train-labels-idx2-int",
    "RenderedSST2Dataset": "test/negative",
    "SBDataset": "train.txt",
    "SBUDataset": "SBU_captioned_photo_dataset_urls.txt",
    "SQuADDataset": "train-v1.1.json",
    "SST2Dataset": "train.tsv",
    "STL10Dataset": "train_X.bin",
    "SUN397Dataset": "ClassName.txt",
    "SVHNDataset": "train_32x32.mat",
    "SemeionDataset": "semeion.data",
    "SogouNewsDataset": "train.csv",
    "SpeechCommandsDataset": "nohash_0.wav",
    "TFRecordDataset": "/*",
    "TedliumDataset": "stm",
    "TextFileDataset": "/*",
    "UDPOSDataset": "en-ud-tag.v2.train.txt",
    "USPSDataset": "usps.t",
    "VOCDataset": "ImageSets",
    "WIDERFaceDataset": "wider_face_train_bbx_gt.txt",
    "WikiTextDataset": "wiki.train.tokens",
    "YahooAnswersDataset": "train.csv",
    "YelpReviewDataset": "train.csv",
    "YesNoDataset": "0_0_0_1_0_0_0_1.wav",
}
NAMED = {
    "EMnistDataset": {"name": "digits"},
    "PhotoTourDataset": {"name": "liberty"},
    "TedliumDataset": {"release": "release1"},
}
WITHOUT_A_FOLDER = {
    "CLUEDataset", "CocoDataset", "FakeImageDataset", "FlickrDataset", "GeneratorDataset", "MappableDataset", "NumpySlicesDataset",
    "PaddedDataset", "RandomDataset", "SourceDataset",
}  # fmt: skip


def sources() -> set[str]:
    found = {name for name, item in vars(ds).items() if inspect.isclass(item) and issubclass(item, ds.SourceDataset)}
    return {name for name in found if defined_in(getattr(ds, name)).startswith("sporax._src.data.sources.")}


def test_every_source_is_here() -> None:
    assert sources() == EXPECTED.keys() | WITHOUT_A_FOLDER


@pytest.mark.parametrize("name", EXPECTED)
def test_an_empty_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises((RuntimeError, ValueError, FileNotFoundError)) as error:
        list(getattr(ds, name)(str(tmp_path), **NAMED.get(name, {})))
    text = str(error.value)
    assert text.startswith(f"{name}: ") and str(tmp_path) in text and EXPECTED[name] in text


@pytest.mark.parametrize("name", EXPECTED)
def test_a_folder_that_is_missing(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / "none")
    with pytest.raises((RuntimeError, ValueError)) as error:
        getattr(ds, name)(path, **NAMED.get(name, {}))
    assert str(error.value).startswith(f"{name}: ") and path in str(error.value)
