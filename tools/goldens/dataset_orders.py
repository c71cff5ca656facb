"""The orders in which MindSpore reads files of records: by seeds, epochs, shards and ways to shuffle."""

import os
import sys
import tempfile
from pathlib import Path

import mindspore.dataset as ds
from mindspore.mindrecord import FileWriter

from .common import write_json

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from record_orders import CALLS, SEEDS, orders, write


def record(out: Path) -> None:
    """Write ``dataset_orders.json``."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write(FileWriter)
        found = {call: {str(seed): orders(ds, call, seed) for seed in SEEDS} for call in CALLS}
        os.chdir(here)
    write_json(out / "dataset_orders.json", found)
