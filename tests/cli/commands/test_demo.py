"""`sporax demo` learns, saves and reloads; its data is what its note says."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import sporax

from sporax._src.checkpoint.formats import FORMATS


def test_demo_learns_saves_and_reloads(tmp_path):
    done = sporax("demo", "--epochs", "12", "--out", "kept", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    accuracy = float(re.search(r"held-out digits: ([\d.]+) %", done.stdout)[1])
    assert accuracy > 95
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["kept", "lenet.ckpt", "lenet.safetensors"]
    for path in (tmp_path / "kept").iterdir():
        arrays = FORMATS[path.suffix[1:]].read(path)
        assert sum(a.size for a in arrays.values()) == 77326
        assert f"{path.name}: {path.stat().st_size} bytes; a new network that loads it: {accuracy:.2f} %" in done.stdout


def test_demo_leaves_nothing_behind(tmp_path):
    assert sporax("demo", "--epochs", "1", cwd=tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def digits() -> dict[str, np.ndarray]:
    path = Path(sys.modules["sporax"].__file__).parent / "_src" / "cli" / "commands" / "digits.npz"
    with np.load(path) as data:
        return dict(data)


def test_digits(digits):
    assert digits["images"].shape == (1797, 8, 8) and digits["images"].dtype == np.uint8
    assert digits["images"].max() == 16
    assert np.bincount(digits["labels"]).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
