"""Settings of datasets: the rows of the tables, files, seeds."""

from pathlib import Path

import numpy as np
import pytest
from data_tables import pipelines_of

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.config")


def test_settings_are_kept(tmp_path):
    for name in dir(ds.config):
        if name.startswith("set_") and name not in ("set_seed", "set_iterator_mode"):
            getter = getattr(ds.config, name.replace("set_", "get_"))
            getattr(ds.config, name)(getter())
    ds.config.set_enable_autotune(True, "prefix")
    assert ds.config.get_enable_autotune() is True
    file = tmp_path / "settings.json"
    file.write_text('{"numParallelWorkers": 2, "seed": 4, "logFilePath": "x"}')
    ds.config.load(str(file))
    assert (ds.config.get_num_parallel_workers(), ds.config.get_seed()) == (2, 4)
    file.write_text('{"nothing": 2}')
    ds.config.load(str(file))  # as MindSpore, which passes over it
    for name in ("multiprocessing_start_method", "video_backend"):
        with pytest.raises(TypeError, match=f"set_{name}: expected a str, got 1"):
            getattr(ds.config, f"set_{name}")(1)
    with pytest.raises(TypeError, match="expected a bool"):
        ds.config.set_iterator_mode(do_copy=3)


def test_the_file_of_autotune_is_checked(tmp_path: Path) -> None:
    refused = {
        "": "must be the start of a file's name",
        str(tmp_path): "must be the start",
        "/none/a": "does not exist",
    }
    for path, text in refused.items():
        with pytest.raises(RuntimeError, match=f"set_enable_autotune: filepath_prefix.*{text}"):
            ds.config.set_enable_autotune(True, path)
    with pytest.raises(TypeError, match="filepath_prefix must be a str, got 3"):
        ds.config.set_enable_autotune(True, 3)
    with pytest.raises(TypeError, match="set_enable_autotune: expected a bool, got 1"):
        ds.config.set_enable_autotune(1)
    assert ds.config.get_enable_autotune() is False
    ds.config.set_enable_autotune(False, "")  # the path is not looked at


def test_the_seed_reaches_plain_python_and_numpy():
    import random

    ds.config.set_seed(3)
    first = random.random(), np.random.random()
    ds.config.set_seed(3)
    assert (random.random(), np.random.random()) == first


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "[]", "\udcff", '{"seed": "x"}', '{"prefetch_size": []}'])
def test_settings_are_refused(tmp_path: Path, text: str) -> None:
    before = ds.config.get_seed(), ds.config.get_prefetch_size()
    (tmp_path / "c.json").write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(RuntimeError, match=r"dataset.config.load: .*c\.json "):
        ds.config.load(str(tmp_path / "c.json"))
    assert (ds.config.get_seed(), ds.config.get_prefetch_size()) == before
