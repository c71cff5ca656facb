"""Recordings on disk: read back as they were written, from a zip file or a folder."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from sporax._src.migrate.compare.recorder import SCHEMA, Recording
from sporax._src.migrate.compare.storage import load

ABOUT = dict.fromkeys(("framework", "version", "net", "layers", "passes", "parameters", "loss", "optimizer"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A recording."""
    Recording({"schema": SCHEMA, **ABOUT, "net": "Net"}, {"forward/0": np.arange(3)}).save(tmp_path / "a.zip")
    return tmp_path / "a.zip"


def test_a_file_and_a_folder_hold_the_same(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        archive.extractall(file.with_name("folder"))
    for path in (file, str(file), file.with_name("folder")):
        recording = load(path)
        assert recording.about["net"] == "Net" and [*recording.arrays] == ["forward/0"]
        np.testing.assert_array_equal(recording.arrays["forward/0"], np.arange(3))


def test_what_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("text")
    (tmp_path / "empty").mkdir()
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("x", "y")
    for name in ("none.zip", "empty"):
        with pytest.raises(ValueError, match=f"{name}: there is no recording of `sporax compare dump`"):
            load(tmp_path / name)
    for name in ("text.zip", "other.zip"):
        with pytest.raises(ValueError, match=f"{name}: this is no recording of `sporax compare dump`"):
            load(tmp_path / name)


@pytest.mark.parametrize(
    ("about", "got"),
    [({"schema": 99, **ABOUT}, "got 99"), ({"schema": SCHEMA, "net": 1}, f"got {SCHEMA}"), ([], "got list")],
)
def test_a_recording_of_another_version(about: object, got: str, tmp_path: Path) -> None:
    Recording(about, {"a": np.ones(1)}).save(tmp_path / "a.zip")
    with pytest.raises(ValueError, match=f"expected a recording of schema {SCHEMA}, {got}: record it anew"):
        load(tmp_path / "a.zip")
