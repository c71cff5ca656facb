"""Every test starts with the same settings, seeded with 1, and leaves them as they were; small copies of public data sets."""

import os

import dataset_files
import pytest

from sporax._src.data import config


@pytest.fixture(autouse=True)
def seeded():
    saved = dict(config._values)
    config.set_seed(1)
    yield
    config._values.clear()
    config._values.update(saved)


@pytest.fixture(scope="module")
def small_copies(tmp_path_factory):
    folder, here = tmp_path_factory.mktemp("files"), os.getcwd()
    os.chdir(folder)
    dataset_files.write()
    yield
    os.chdir(here)
