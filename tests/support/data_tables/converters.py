"""Public data sets as files of records: what MindSpore makes of the same files, and every error's text."""

import gc
import io
import json
import os
import re
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from record_files import plain

from sporax import mindrecord
from sporax._src.data.converters.cifar import Cifar10, Cifar100
from sporax.mindrecord import FileReader, MindPage

FOLDER = Path(__file__).parents[2] / "goldens" / "converters"
TOLD = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
FEATURES = {
    "name": ([], "string"), "image/data": ([], "string"), "n": ([], "int64"), "x": ([], "float32"), "v": ([3], "int64"),
    "w": ([2], "float32"),
}  # fmt: skip
# In MindSpore a bool of a column with a gap is not text, though its column is one of texts: no row is valid.
BETTER = {"CsvToMR('tables/half_bools.csv', 't_half').run()"}


def features(**more: Any) -> dict[str, Any]:
    names = ("shape", "dtype", "default_value")
    entries = {**FEATURES, **more}
    return {name: SimpleNamespace(**dict(zip(names, entry, strict=False))) for name, entry in entries.items()}


def contents(path: str) -> dict[str, Any]:
    reader = FileReader([path])
    rows = [{k: plain(v) for k, v in row.items()} for row in reader.get_next()]
    return {"schema": reader.schema(), "rows": rows, "index": MindPage([path]).candidate_fields}


def run(call: str) -> dict[str, Any]:
    before = {*os.listdir(".")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        status = eval(call, {**vars(mindrecord), "features": features})
    files = sorted({*os.listdir(".")} - before)
    return {"returns": status, "files": {name: contents(name) for name in files if not name.endswith(".db")}}


def pixels(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the pixels of its picture for its bytes, which depend on the version of the encoder."""
    if "data" not in row:
        return row
    return {**row, "data": np.array(Image.open(io.BytesIO(bytes.fromhex(row["data"])))).tolist()}


def compared(found: dict[str, Any]) -> dict[str, Any]:
    files = {
        name: {**file, "rows": [pixels(row) for row in file["rows"]], "index": sorted(file["index"])}
        for name, file in found["files"].items()
    }
    return {**found, "files": files}


@pytest.mark.parametrize("call", [call for call, told in TOLD["calls"].items() if "error" not in told])
def test_files_are_mindspores(call: str, sources: Path) -> None:
    assert compared(run(call)) == compared(TOLD["calls"][call])


ERROR_TEXTS = """
Cifar100ToMR('cifar10', 'c100_x')
    PathNotExistsError: [PathNotExistsError]: Invalid path. Detail: cifar10 has no file train.
Cifar10ToMR('cifar10', '')
    ParamValueError: [ParamValueError]: Invalid parameter value. Detail: destination must be a path, got ''.
Cifar10ToMR('cifar10', 'a:b')
    ParamValueError: [ParamValueError]: Invalid parameter value. Detail: destination must be the path of a file without : in its
Cifar10ToMR('cifar10', 'c ')
    ParamValueError: [ParamValueError]: Invalid parameter value. Detail: destination must not begin or end with a blank, got 'c
Cifar10ToMR('cifar10', 'c10_x').run('label')
    ValueError: Cifar10ToMR: fields must be None or a list of str, got 'label'.
Cifar10ToMR('cifar10', 'c10_x').run(['data'])
    MRMDefineIndexError: [MRMDefineIndexError]: Failed to define index field. Detail: Failed to set field data since it's not pr
Cifar10ToMR('cifar10/', 'c10_x')
    ParamValueError: [ParamValueError]: Invalid parameter value. Detail: source must not end with '/', got 'cifar10/'.
Cifar10ToMR('cifar100', 'c10_x')
    PathNotExistsError: [PathNotExistsError]: Invalid path. Detail: cifar100 has no file data_batch_*.
Cifar10ToMR('nowhere', 'c10_x')
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere'
Cifar10ToMR(3, 'c10_x')
    ParamValueError: [ParamValueError]: Invalid parameter value. Detail: source must be a path, got 3.
CsvToMR('tables/named_by_number.csv', 't_x').run()
    ValueError: CsvToMR: the first line of tables/named_by_number.csv must have names, got '1'.
CsvToMR('tables/none.csv', 't_x').run()
    FileNotFoundError: [Errno 2] No such file or directory: 'tables/none.csv'
CsvToMR('tables/odd_name.csv', 't_x').run()
    MRMInvalidSchemaError: [MRMInvalidSchemaError]: Schema format is error. Detail: Field 'a b' should be composed of '0-9' or '
CsvToMR('tables/whole.csv', 't_x', 'i')
    ValueError: CsvToMR: columns_list must be a list of str, got 'i'.
CsvToMR('tables/whole.csv', 't_x', None, 0)
    ParamValueError: [ParamValueError]: Invalid parameter value. Detail: shard_num must be an int of [1, 1000], got 0.
CsvToMR('tables/whole.csv', 't_x', None, None)
    ValueError: CsvToMR: partition_number must be an int, got None.
CsvToMR('tables/whole.csv', 't_x', ['q']).run()
    RuntimeError: CsvToMR: columns_list has 'q'; the columns of tables/whole.csv are ['i', 's'].
CsvToMR('tables/whole.csv', 't_x', [3])
    ValueError: CsvToMR: columns_list must be a list of str, got [3].
CsvToMR('tables/whole.csv', 3)
    ValueError: CsvToMR: destination must be a str, got 3.
CsvToMR('tables/wide.csv', 't_x').run()
    ValueError: CsvToMR: line 3 of tables/wide.csv has 3 values; there are 2 columns.
CsvToMR(3, 't_x')
    ValueError: CsvToMR: source must be a str, got 3.
ImageNetToMR('imagenet/map.txt', 'imagenet', 'i_x', 'a')
    ValueError: ImageNetToMR: partition_number must be an int, got 'a'.
ImageNetToMR('imagenet/map.txt', 'imagenet', 'i_x', 1001)
    ParamValueError: [ParamValueError]: Invalid parameter value. Detail: shard_num must be an int of [1, 1000], got 1001.
ImageNetToMR('imagenet/map.txt', 'mnist', 'i_x').run()
    PathNotExistsError: [PathNotExistsError]: Invalid path. Detail: mnist has none of the folders that imagenet/map.txt names.
ImageNetToMR('imagenet/none.txt', 'imagenet', 'i_x').run()
    FileNotFoundError: [Errno 2] No such file or directory: 'imagenet/none.txt'
MnistToMR('cifar10', 'm_x').run()
    FileNotFoundError: [Errno 2] No such file or directory: 'cifar10/train-images-idx3-ubyte.gz'
MnistToMR('mnist', 'm_x', '1')
    ValueError: MnistToMR: partition_number must be an int, got '1'.
MnistToMR('mnist', 'm_x', 0)
    ParamValueError: [ParamValueError]: Invalid parameter value. Detail: shard_num must be an int of [1, 1000], got 0.
MnistToMR('mnist', 'm_x', None)
    ValueError: MnistToMR: partition_number must be an int, got None.
TFRecordToMR('mnist/t10k-labels-idx1-ubyte.gz', 'r_t', features(), ['image/data']).run()
    RuntimeError: TFRecordToMR: mnist/t10k-labels-idx1-ubyte.gz is not a TFRecord file, or is cut short.
TFRecordToMR('none.tfrecord', 'r_u', features(), ['image/data']).run()
    FileNotFoundError: [Errno 2] No such file or directory: 'none.tfrecord'
TFRecordToMR('some.tfrecord', 'r_v', features(n=([], 'float32')), ['image/data']).run()
    ValueError: TFRecordToMR: row 0 of some.tfrecord: the feature 'n' must be float32, and is int64.
TFRecordToMR('some.tfrecord', 'r_w', features(n=([], 'int32')), ['image/data']).run()
    TypeError: TFRecordToMR: feature_dict['n'] must have the dtype string, int64 or float32, got int32.
TFRecordToMR('some.tfrecord', 'r_x', None)
    ValueError: TFRecordToMR: feature_dict must be a dict, got None.
TFRecordToMR('some.tfrecord', 'r_x', features()).run()
    ValueError: TFRecordToMR: row 0 of some.tfrecord: the feature 'image/data' is not text; name it in bytes_fields
TFRecordToMR('some.tfrecord', 'r_x', features(), 'image/data')
    ValueError: TFRecordToMR: bytes_fields must be a list of str, got 'image/data'.
TFRecordToMR('some.tfrecord', 'r_x', features(), ['n'])
    ValueError: TFRecordToMR: bytes_fields must hold features of strings; 'n' is int64.
TFRecordToMR('some.tfrecord', 'r_x', features(), ['q'])
    ValueError: TFRecordToMR: bytes_fields must hold names of ['name', 'image/data', 'n', 'x', 'v', 'w'], got 'q'.
TFRecordToMR('some.tfrecord', 'r_x', features(), [3])
    ValueError: TFRecordToMR: bytes_fields must hold names of ['name', 'image/data', 'n', 'x', 'v', 'w'], got 3.
TFRecordToMR('some.tfrecord', 'r_x', features(n=([0], 'int64')))
    ValueError: TFRecordToMR: feature_dict['n'] must have the shape [] or [n], got [0].
TFRecordToMR('some.tfrecord', 'r_x', features(n=([1, 2], 'int64')))
    ValueError: TFRecordToMR: feature_dict['n'] must have the shape [] or [n], got [1, 2].
TFRecordToMR('some.tfrecord', 'r_x', features(name=([2], 'string')))
    ValueError: TFRecordToMR: feature_dict['name'] must have the shape [], got [2].
TFRecordToMR('some.tfrecord', 'r_x', {'n': 3})
    ValueError: TFRecordToMR: feature_dict['n'] must be a FixedLenFeature, got 3.
TFRecordToMR('some.tfrecord', 'r_y', features(maybe=([], 'int64')), ['image/data']).run()
    ValueError: TFRecordToMR: row 0 of some.tfrecord lacks the feature 'maybe', which has no default_value.
TFRecordToMR('some.tfrecord', 'r_z', features(v=([2], 'int64')), ['image/data']).run()
    ValueError: TFRecordToMR: row 0 of some.tfrecord: the feature 'v' must have 2 values, and has 3.
TFRecordToMR('some.tfrecord', 3, features())
    ValueError: TFRecordToMR: destination must be a str, got 3.
TFRecordToMR(3, 'r_x', features())
    ValueError: TFRecordToMR: source must be a str, got 3.
"""
ERRORS = dict(re.findall(r"^(\S.*)\n    (.*)$", ERROR_TEXTS, re.MULTILINE))
OTHERS = {  # what pandas, TensorFlow and a decoder raise there
    "ParserError": "ValueError", "DataLossError": "RuntimeError", "NotFoundError": "FileNotFoundError",
    "UnicodeDecodeError": "ValueError",
}  # fmt: skip


@pytest.mark.parametrize(
    "call", [call for call, told in TOLD["calls"].items() if "error" in told and call not in BETTER]
)
def test_errors_are_mindspores(call: str, sources: Path) -> None:
    before = sorted(os.listdir("."))
    with pytest.raises(Exception) as caught:
        run(call)
    assert f"{caught.type.__name__}: {caught.value}".startswith(ERRORS[call])
    told = TOLD["calls"][call]["error"]
    assert OTHERS.get(told, told) in [kind.__name__ for kind in caught.type.__mro__]
    del caught  # with the writer, and what it had begun
    gc.collect()
    assert sorted(os.listdir(".")) == before


READS = {"Cifar10": Cifar10, "Cifar100": Cifar100}


@pytest.mark.parametrize("call", TOLD["reads"])
def test_arrays_are_mindspores(call: str, sources: Path) -> None:
    loader: Any = eval(call, READS)
    found = loader.load_data()
    told = TOLD["reads"][call]
    assert [
        {
            "dtype": a.dtype.name,
            "shape": list(a.shape),
            "sum": float(a.sum()),
            "labels": a.tolist() if a.ndim == 2 else None,
        }
        for a in found
    ] == told
    assert loader.images is found[0] and loader.Test.images is found[len(found) // 2]
