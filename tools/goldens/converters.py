"""Public data sets in small, and the MindRecord files that MindSpore makes of them.

Beside MindSpore it needs ``opencv-python-headless``, ``pandas<3`` and ``tensorflow-cpu``.
"""

import gzip
import json
import os
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from mindspore import mindrecord as mr
from mindspore.mindrecord.tools.cifar10 import Cifar10
from mindspore.mindrecord.tools.cifar100 import Cifar100

from .common import write_json

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from record_files import plain

# A number that is missing ends the process of MindSpore 2.7.0, which cannot index a NaN.
TABLES = {
    "kinds": '''name,count,ratio,flag,mixed,quoted
"a",1,0.5,True,1,NA b
"b, c",-2,1e3,false,x,"say ""x"""
ü,+3,.25,TRUE,2.5,plain
''',
    "big": "a,b\n1,x\n12345678901234567890123,y\n",
    "whole": "i,s\n1,a\n\n 2 ,b\n3,\n4\n",
    "numbers": "a,b\n1,2\n3,4\n",
    "floats": "a,b\n1.5,3\n 1e-3\t,-2.\n.5,1E2\n",
    "bools": "f,s\nTrue,x\nfalse,y\n",
    "half_bools": "f,s\nTrue,x\n,y\n",
    "wide": "a,b\n1,x\n2,y,z\n",
    "named_by_number": "1,b\n1,x\n",
    "odd_name": "a b,c\n1,x\n",
    "only_names": "a,b\n",
    "bom": "\ufeffa,b\n1,x\n",
}


def images(count: int, seed: int) -> np.ndarray:
    """Return smooth pictures as rows of the data sets' files."""
    x, y = np.meshgrid(np.arange(32), np.arange(32))
    waves = [np.sin((k + seed) / 3 + x / (5 + c) + y / (7 + k)) for k in range(count) for c in range(3)]
    return (127 + 120 * np.array(waves)).astype(np.uint8).reshape(count, 3072)


def idx(values: np.ndarray) -> bytes:
    """Return an IDX file of bytes."""
    sizes = b"".join(n.to_bytes(4, "big") for n in values.shape)
    return gzip.compress(bytes([0, 0, 8, values.ndim]) + sizes + values.tobytes(), mtime=0)


def example(**features: Any) -> bytes:
    """Return a message of TensorFlow."""
    made = {}
    for name, value in features.items():
        name = name.replace("__", "/")
        if isinstance(value[0], bytes):
            made[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=value))
        elif isinstance(value[0], float):
            made[name] = tf.train.Feature(float_list=tf.train.FloatList(value=value))
        else:
            made[name] = tf.train.Feature(int64_list=tf.train.Int64List(value=value))
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString(deterministic=True)


def make_sources(folder: Path) -> None:
    """Write the data sets."""
    for name in ("cifar10", "cifar100", "mnist", "imagenet/n01", "imagenet/n02", "tables"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for k, name in enumerate(("data_batch_1", "data_batch_2", "test_batch")):
        content = {b"data": images(2, k), b"labels": [k, 9 - k], b"batch_label": name.encode()}
        (folder / "cifar10" / name).write_bytes(pickle.dumps(content, 4))
    for k, name in enumerate(("train", "test")):
        content = {b"data": images(2, 5 + k), b"fine_labels": [99 - k, k], b"coarse_labels": [19, 3 + k]}
        (folder / "cifar100" / name).write_bytes(pickle.dumps(content, 4))
    for part, count in (
        ("train", 4),
        ("t10k", 2),
    ):  # even numbers: which of two files gets one more differs from run to run
        pictures = images(count, 9).reshape(count, 3, 32, 32)[:, 0, :28, :28]
        (folder / "mnist" / f"{part}-images-idx3-ubyte.gz").write_bytes(idx(np.ascontiguousarray(pictures)))
        labels = np.arange(count, dtype=np.uint8) + 5
        (folder / "mnist" / f"{part}-labels-idx1-ubyte.gz").write_bytes(idx(labels))
    (folder / "imagenet" / "map.txt").write_text("n01 3\nn02 1\nn03 2\n")
    for name, content in (
        ("n01/b.JPEG", b"one"),
        ("n01/a.jpg", b"two"),
        ("n01/c.png", b"no"),
        ("n02/d.JPEG", b"three"),
    ):
        (folder / "imagenet" / name).write_bytes(content)
    (folder / "imagenet" / "n02" / "empty.JPEG").write_bytes(b"")
    for name, table in TABLES.items():
        (folder / "tables" / f"{name}.csv").write_text(table, encoding="utf-8")
    with tf.io.TFRecordWriter(str(folder / "some.tfrecord")) as file:
        for k in range(3):
            file.write(
                example(
                    name=[f"é{k}".encode()], image__data=[bytes([k, 255])], n=[k - 1], x=[k / 3], v=[k, 2**40, -5],
                    w=[0.5, float(k)], **({"maybe": [7]} if k else {}),
                )
            )  # fmt: skip


FEATURES = {
    "name": ([], "string"), "image/data": ([], "string"), "n": ([], "int64"), "x": ([], "float32"), "v": ([3], "int64"),
    "w": ([2], "float32"),
}  # fmt: skip


def features(**more: Any) -> dict[str, Any]:
    """Return the features to read."""
    entries = {**FEATURES, **more}
    return {
        name: tf.io.FixedLenFeature(*[*entry[:1], tf.as_dtype(entry[1]), *entry[2:]]) for name, entry in entries.items()
    }


def contents(path: str) -> dict[str, Any]:
    """Return what a file of records holds."""
    reader = mr.FileReader([path])
    rows = [{k: plain(v) for k, v in row.items()} for row in reader.get_next()]
    found = {"schema": reader.schema(), "rows": rows, "index": mr.MindPage([path]).candidate_fields}
    reader.close()
    return found


def attempt(make: Any) -> dict[str, Any]:
    """Return what a converter gave back and wrote, or the type of its error."""
    before = {*os.listdir(".")}
    try:
        status = make()
    except BaseException as error:
        return {"error": type(error).__name__}
    files = sorted({*os.listdir(".")} - before)
    found = {name: contents(name) for name in files if not name.endswith(".db")}
    return {
        "returns": None if status is None else int(status.value if hasattr(status, "value") else status),
        "files": found,
    }


def read(loader: Any) -> list[dict[str, Any]]:
    """Return what a reader of CIFAR gives."""
    found = loader.load_data()
    return [
        {
            "dtype": a.dtype.name,
            "shape": list(a.shape),
            "sum": float(a.sum()),
            "labels": a.tolist() if a.ndim == 2 else None,
        }
        for a in found
    ]


CALLS = """Cifar10ToMR('cifar10', 'c10').run()
Cifar10ToMR('cifar10', 'c10_label').run(['label'])
Cifar10ToMR('cifar10', 'c10_none').transform([])
Cifar10ToMR('cifar10', 'c10_x').run('label')
Cifar10ToMR('cifar10', 'c10_x').run(['data'])
Cifar10ToMR('cifar100', 'c10_x')
Cifar10ToMR('nowhere', 'c10_x')
Cifar10ToMR('cifar10/', 'c10_x')
Cifar10ToMR('cifar10', '')
Cifar10ToMR('cifar10', 'a:b')
Cifar10ToMR('cifar10', 'c ')
Cifar10ToMR(3, 'c10_x')
Cifar100ToMR('cifar100', 'c100').run()
Cifar100ToMR('cifar100', 'c100_fine').run(['fine_label', 'id'])
Cifar100ToMR('cifar10', 'c100_x')
MnistToMR('mnist', 'm').run()
MnistToMR('mnist', 'm2', 2).transform()
MnistToMR('cifar10', 'm_x').run()
MnistToMR('mnist', 'm_x', None)
MnistToMR('mnist', 'm_x', 0)
MnistToMR('mnist', 'm_x', '1')
ImageNetToMR('imagenet/map.txt', 'imagenet', 'i').run()
ImageNetToMR('imagenet/map.txt', 'imagenet', 'i_t').transform()
ImageNetToMR('imagenet/none.txt', 'imagenet', 'i_x').run()
ImageNetToMR('imagenet/map.txt', 'mnist', 'i_x').run()
ImageNetToMR('imagenet/map.txt', 'imagenet', 'i_x', 'a')
ImageNetToMR('imagenet/map.txt', 'imagenet', 'i_x', 1001)
CsvToMR('tables/kinds.csv', 't_kinds').run()
CsvToMR('tables/kinds.csv', 't_some', ['flag', 'name']).run()
CsvToMR('tables/whole.csv', 't_whole').run()
CsvToMR('tables/big.csv', 't_big').run()
CsvToMR('tables/numbers.csv', 't_numbers', partition_number=2).transform()
CsvToMR('tables/floats.csv', 't_floats').run()
CsvToMR('tables/bools.csv', 't_bools').run()
CsvToMR('tables/half_bools.csv', 't_half').run()
CsvToMR('tables/wide.csv', 't_x').run()
CsvToMR('tables/named_by_number.csv', 't_x').run()
CsvToMR('tables/odd_name.csv', 't_x').run()
CsvToMR('tables/only_names.csv', 't_only').run()
CsvToMR('tables/bom.csv', 't_bom').run()
CsvToMR('tables/none.csv', 't_x').run()
CsvToMR('tables/whole.csv', 't_x', ['q']).run()
CsvToMR('tables/whole.csv', 't_x', 'i')
CsvToMR('tables/whole.csv', 't_x', [3])
CsvToMR('tables/whole.csv', 't_x', None, None)
CsvToMR('tables/whole.csv', 't_x', None, 0)
CsvToMR(3, 't_x')
CsvToMR('tables/whole.csv', 3)
TFRecordToMR('some.tfrecord', 'r', features(), ['image/data']).run()
TFRecordToMR('some.tfrecord', 'r_default', features(maybe=([], 'int64', -1)), ['image/data']).transform()
TFRecordToMR('some.tfrecord', 'r_x', features()).run()
TFRecordToMR('some.tfrecord', 'r_y', features(maybe=([], 'int64')), ['image/data']).run()
TFRecordToMR('some.tfrecord', 'r_z', features(v=([2], 'int64')), ['image/data']).run()
TFRecordToMR('some.tfrecord', 'r_v', features(n=([], 'float32')), ['image/data']).run()
TFRecordToMR('some.tfrecord', 'r_w', features(n=([], 'int32')), ['image/data']).run()
TFRecordToMR('none.tfrecord', 'r_u', features(), ['image/data']).run()
TFRecordToMR('mnist/t10k-labels-idx1-ubyte.gz', 'r_t', features(), ['image/data']).run()
TFRecordToMR('some.tfrecord', 'r_x', features(name=([2], 'string')))
TFRecordToMR('some.tfrecord', 'r_x', features(n=([1, 2], 'int64')))
TFRecordToMR('some.tfrecord', 'r_x', features(n=([0], 'int64')))
TFRecordToMR('some.tfrecord', 'r_x', None)
TFRecordToMR('some.tfrecord', 'r_x', {'n': 3})
TFRecordToMR('some.tfrecord', 'r_x', features(), 'image/data')
TFRecordToMR('some.tfrecord', 'r_x', features(), [3])
TFRecordToMR('some.tfrecord', 'r_x', features(), ['q'])
TFRecordToMR('some.tfrecord', 'r_x', features(), ['n'])
TFRecordToMR(3, 'r_x', features())
TFRecordToMR('some.tfrecord', 3, features())""".splitlines()
READS = """Cifar10('cifar10')
Cifar10('cifar10', False)
Cifar100('cifar100')
Cifar100('cifar100', one_hot=False)""".splitlines()


def spread(count: int, shards: int) -> list[list[str]]:
    """Return the pictures in each file of a set that many pictures share."""
    folder = Path("many")
    (folder / "n01").mkdir(parents=True)
    for k in range(count):
        (folder / "n01" / f"{k:04d}.jpg").write_bytes(b"x")
    (folder / "map.txt").write_text("n01 0\n")
    mr.ImageNetToMR("many/map.txt", "many", "spread", shards).transform()
    names = []
    for k in range(shards):
        rows = mr.FileReader([f"spread{k}"]).get_next()
        names.append([os.path.basename(row["file_name"])[:4] for row in rows])
    return names


def record(out: Path) -> None:
    """Write the folder ``converters``."""
    folder = out / "converters"
    folder.mkdir(exist_ok=True)
    make_sources(folder)
    listdir = os.listdir
    os.listdir = lambda path=".": sorted(listdir(path))  # the order of files is the file system's otherwise
    here = os.getcwd()
    work = Path(tempfile.mkdtemp())
    for name in sorted(listdir(folder)):
        if not name.endswith(".json"):
            os.symlink(folder / name, work / name)
    os.chdir(work)
    names = {**vars(mr), "features": features}
    answers = {
        "calls": {call: attempt(lambda call=call: eval(call, names)) for call in CALLS},
        "reads": {call: read(eval(call, {"Cifar10": Cifar10, "Cifar100": Cifar100})) for call in READS},
        "spread": spread(522, 4),
        "status": {name: int(getattr(mr, name)) for name in ("SUCCESS", "FAILED")},
    }
    os.chdir(here)
    os.listdir = listdir
    write_json(folder / "answers.json", json.loads(json.dumps(answers)))
