"""mindspore.mindrecord: files of records, to be read by `dataset.MindDataset`."""

from sporax._src.data.mindrecord.errors import (
    MindRecordException,
    MRMAddSchemaError,
    MRMDefineCategoryError,
    MRMDefineIndexError,
    MRMInvalidSchemaError,
    ParamTypeError,
    ParamValueError,
)
from sporax._src.data.mindrecord.reader import FileReader, MindPage
from sporax._src.data.mindrecord.writer import FileWriter

__all__ = [
    "FileReader",
    "FileWriter",
    "MRMAddSchemaError",
    "MRMDefineCategoryError",
    "MRMDefineIndexError",
    "MRMInvalidSchemaError",
    "MindPage",
    "MindRecordException",
    "ParamTypeError",
    "ParamValueError",
]
