"""What the sources of public data sets give, of the small copies that `tests/support/dataset_files` writes."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))
import dataset_files


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it; texts of errors without the paths of this machine."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value.item() if isinstance(value, np.generic) else value


def record(out: Path) -> None:
    """Write one file for each family of data sets."""
    import mindspore.dataset as ds

    def schema() -> Any:
        made = ds.Schema()
        made.add_column("a", "int16", [3])
        made.add_column("b", "float32", [])
        return made

    os.chdir(tempfile.mkdtemp())
    dataset_files.write()
    ds.config.set_seed(1)
    for name, family in dataset_files.FAMILIES.items():
        found = {call: _plain(dataset_files.answer(call, vars(ds), schema)) for call in family.cases()}
        for case in found.values():
            if isinstance(case, dict) and "raises" in case:
                case["text"] = case["text"].replace(os.getcwd(), "").strip().splitlines()[0][:120]
        (out / f"dataset_{name}.json").write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
