"""The public names of MindSpore's datasets, and what those give that no other section calls."""

import os
import sys
import tempfile
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
from mindspore import mindrecord

from .common import write_json

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tests" / "support"))

from data_names import public
from named_calls import answers


def record(out: Path) -> None:
    """Write ``dataset_names.json``."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        ds.config.set_seed(1)
        found = answers(ms, ds, mindrecord)
        os.chdir(ROOT)
    write_json(out / "dataset_names.json", {"names": public("mindspore"), "answers": found})
