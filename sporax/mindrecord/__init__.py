"""mindspore.mindrecord: files of records, to be read by `dataset.MindDataset`."""

from sporax._src.data.converters.cifar import Cifar10ToMR, Cifar100ToMR
from sporax._src.data.converters.csv_table import CsvToMR
from sporax._src.data.converters.imagenet import ImageNetToMR
from sporax._src.data.converters.mnist import MnistToMR
from sporax._src.data.converters.status import FAILED, SUCCESS
from sporax._src.data.converters.tfrecord import TFRecordToMR
from sporax._src.data.mindrecord.encryption import set_dec_mode, set_enc_key, set_enc_mode
from sporax._src.data.mindrecord.errors import (
    MindRecordException,
    MRMAddSchemaError,
    MRMDefineCategoryError,
    MRMDefineIndexError,
    MRMInvalidSchemaError,
    ParamTypeError,
    ParamValueError,
    PathNotExistsError,
)
from sporax._src.data.mindrecord.reader import FileReader, MindPage
from sporax._src.data.mindrecord.writer import FileWriter

__all__ = [
    "FAILED",
    "SUCCESS",
    "Cifar10ToMR",
    "Cifar100ToMR",
    "CsvToMR",
    "FileReader",
    "FileWriter",
    "ImageNetToMR",
    "MRMAddSchemaError",
    "MRMDefineCategoryError",
    "MRMDefineIndexError",
    "MRMInvalidSchemaError",
    "MindPage",
    "MindRecordException",
    "MnistToMR",
    "ParamTypeError",
    "ParamValueError",
    "PathNotExistsError",
    "TFRecordToMR",
    "set_dec_mode",
    "set_enc_key",
    "set_enc_mode",
]
