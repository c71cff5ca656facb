"""The files of data sets that converters read, in the working folder."""

import shutil
from pathlib import Path

import pytest
from data_tables.converters import FOLDER


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in FOLDER.iterdir():
        if path.is_dir():
            shutil.copytree(path, tmp_path / path.name)
        elif path.suffix != ".json":
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
