"""The pipeline against MindSpore's recorded answers: the same cases, run by the recording script's own functions."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import sporax.dataset as ds
from sporax.dataset import transforms, vision

ROOT = Path(__file__).parents[3]
RECORDED = json.loads((ROOT / "tests/goldens/dataset.json").read_text())

# MindSpore writes the image's values without a gap into the wider array, so its zeros are not in the fourth channel.
DIFFERS = {"vision/normalize_pad", "vision/normalize_pad_half"}
# Ties and the last bit of sums that OpenCV's vector code takes in another order.
TOLERANCE = {"vision/resize_real_BICUBIC": 2e-7, "change/saturation": 1}


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


@pytest.mark.parametrize("name", sorted(set(RECORDED) - DIFFERS))
def test_case(cases, name):
    expected = RECORDED[name]
    if isinstance(expected, dict) and "raises" in expected:
        with pytest.raises(Exception) as raised:
            cases[name]()
        assert type(raised.value).__name__ == expected["raises"]
    elif name in TOLERANCE:
        found = cases[name]()
        assert (found["dtype"], found["shape"]) == (expected["dtype"], expected["shape"])
        np.testing.assert_allclose(found["values"], expected["values"], rtol=0, atol=TOLERANCE[name])
    else:
        assert cases[name]() == expected


@pytest.mark.parametrize("name", sorted(DIFFERS))
def test_deliberate_difference(cases, name):
    found = np.array(cases[name]()["values"])
    plain = np.array(cases["vision/normalize"]()["values"])
    np.testing.assert_allclose(found[..., :3], plain, atol=2e-3)
    assert (found[..., 3] == 0).all()
