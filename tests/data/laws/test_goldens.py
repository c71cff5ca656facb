"""The pipeline against MindSpore's recorded answers: the same cases, run by the recording script's own functions."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import sporax.dataset as ds
from sporax._src.data.vision import opencv
from sporax.dataset import transforms, vision

ROOT = Path(__file__).parents[3]
RECORDED = json.loads((ROOT / "tests/goldens/dataset.json").read_text())

# The last bit of sums that OpenCV's vector code takes in another order than NumPy.
TOLERANCE = {"vision/resize_real_BICUBIC": 2e-7}


def _script():
    spec = importlib.util.spec_from_file_location("record_dataset", ROOT / "tools/goldens/dataset.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    script, folder = _script(), str(tmp_path_factory.mktemp("files"))
    script.write_files(folder)
    return script.cases(ds, transforms, vision, folder)


def test_the_recording_is_of_these_cases(cases):
    assert set(cases) == set(RECORDED)


@pytest.mark.filterwarnings("ignore:Dataset.split. the dataset is shuffled anew")
@pytest.mark.parametrize("name", sorted(RECORDED))
def test_case(cases, name):
    _compare(cases[name], RECORDED[name], 0)


@pytest.mark.parametrize("name", sorted(name for name in RECORDED if name.startswith(("vision/", "change/"))))
def test_case_without_opencv(cases, name, monkeypatch):
    monkeypatch.setattr(opencv, "library", lambda: None)
    _compare(cases[name], RECORDED[name], TOLERANCE.get(name, 0))


def _compare(case, expected, tolerance):
    if isinstance(expected, dict) and "raises" in expected:
        with pytest.raises(Exception) as raised:
            case()
        assert type(raised.value).__name__ == expected["raises"]
    elif tolerance:
        found = case()
        assert (found["dtype"], found["shape"]) == (expected["dtype"], expected["shape"])
        np.testing.assert_allclose(found["values"], expected["values"], rtol=0, atol=tolerance)
    else:
        assert case() == expected
