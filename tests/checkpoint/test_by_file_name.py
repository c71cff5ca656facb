"""A file name that ends in `.safetensors`, or in that of an index, says the format."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import sporax as ms
from sporax import Tensor, nn


def index_of(folder: Path, files: dict[str, dict[str, np.ndarray]]) -> Path:
    """Write files and their index, as the hub of Hugging Face has them."""
    for name, arrays in files.items():
        save_file(arrays, folder / name)
    names = {key: name for name, arrays in files.items() for key in arrays}
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": names}))
    return path


@pytest.fixture
def index(tmp_path: Path) -> Path:
    first, second = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    weight, bias = np.arange(8, dtype=np.float32).reshape(2, 4), np.ones(2, np.float32)
    return index_of(tmp_path, {first: {"weight": weight}, second: {"bias": bias, "other": bias}})


def test_the_suffix_says_the_format(tmp_path: Path) -> None:
    net = nn.Dense(4, 2)
    ms.save_checkpoint(net, tmp_path / "net.safetensors")
    assert sorted(load_file(tmp_path / "net.safetensors")) == ["bias", "weight"]
    again = nn.Dense(4, 2)
    ms.load_checkpoint(str(tmp_path / "net.safetensors"), again)
    np.testing.assert_array_equal(again.weight.asnumpy(), net.weight.asnumpy())
    assert list(tmp_path.iterdir()) == [tmp_path / "net.safetensors"]


def test_other_suffixes_get_that_of_the_format(tmp_path: Path) -> None:
    ms.save_checkpoint({"w": Tensor([1.0])}, str(tmp_path / "net"))
    assert [path.name for path in tmp_path.iterdir()] == ["net.ckpt"]


def test_an_index_reads_all_its_files(index: Path) -> None:
    assert sorted(ms.load_checkpoint(index)) == ["bias", "other", "weight"]
    net = nn.Dense(4, 2)
    found = ms.load_checkpoint(index, net, choice_func=lambda name: name != "other")
    assert sorted(found) == ["bias", "weight"]
    assert net.weight.asnumpy().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]] and net.bias.asnumpy().tolist() == [1, 1]


def test_a_file_of_the_index_must_be_there(index: Path) -> None:
    index.with_name("model-00002-of-00002.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"model-00002-of-00002\.safetensors"):
        ms.load_checkpoint(index)


def test_files_must_hold_what_the_index_says(index: Path) -> None:
    save_file({"bias": np.ones(2, np.float32)}, index.with_name("model-00002-of-00002.safetensors"))
    with pytest.raises(ValueError, match=r"says that 'other' is in model-00002-of-00002\.safetensors, which lacks it"):
        ms.load_checkpoint(index)


@pytest.mark.parametrize("text", ["{}", "[]", '{"weight_map": {"w": "../x.safetensors"}}', '{"weight_map": {"w": 1}}'])
def test_an_index_names_files_beside_it(index: Path, text: str) -> None:
    index.write_text(text)
    with pytest.raises(ValueError, match=r"has no weight_map from names to files beside it"):
        ms.load_checkpoint(index)
