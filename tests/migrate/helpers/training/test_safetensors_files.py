"""Files of safetensors: the rows of the torch map that use these helpers, the bytes of files, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch_map_rows import rows_of

import sporax as ms
from sporax._src.migrate.helpers.training import safetensors_files as ours

TestRows = rows_of("sporax._src.migrate.helpers.training.safetensors_files")


def test_a_file_is_that_of_the_package(tmp_path: Path) -> None:
    given = {"x": np.ones((2, 3), np.float32), "i": np.arange(3), "s": np.float64(2.5), "e": np.zeros((0, 3), np.int8)}
    ours._save_safetensors({name: ms.Tensor(one) for name, one in given.items()}, tmp_path / "ours", {"format": "pt"})
    save_file(
        {name: torch.from_numpy(np.array(one)) for name, one in given.items()}, tmp_path / "theirs", {"format": "pt"}
    )
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_a_file_that_is_open_is_read_in_parts(tmp_path: Path) -> None:
    save_file({"x": torch.arange(6).reshape(2, 3).bfloat16()}, tmp_path / "f", {"a": "b"})
    with ours._SafeOpen(tmp_path / "f", "pt") as file:
        assert file.metadata() == {"a": "b"} and list(file.keys()) == ["x"]
        part = file.get_slice("x")
        assert part.get_shape() == [2, 3] and part.get_dtype() == "BF16"
        assert part[1, :2].dtype == ms.bfloat16 and part[1, :2].float().asnumpy().tolist() == [3, 4]
        with pytest.raises(SafetensorError, match="File does not contain tensor y"):
            file.get_tensor("y")


@pytest.mark.parametrize(
    ("tensors", "error", "text"),
    [
        ([1], ValueError, r"Expected a dict of \[str, torch.Tensor\] but received <class 'list'>"),
        ({"x": 1}, ValueError, "Key `x` is invalid, expected torch.Tensor but received <class 'int'>"),
        (dict.fromkeys("xy", ms.Tensor([1])), RuntimeError, r"Some tensors share memory: \[\{'[xy]', '[xy]'\}\]"),
        (
            {"x": ms.Tensor([1j], ms.complex128)},
            SafetensorError,
            "the tensor `x` is complex128, which a file of safetensors",
        ),
    ],
)
def test_what_is_not_saved(tensors: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ours._safetensors_bytes(tensors)


def test_what_is_not_read(tmp_path: Path) -> None:
    save_file({"x": torch.ones(2).to(torch.float8_e5m2)}, tmp_path / "f")
    with pytest.raises(SafetensorError, match="MindSpore has no dtype for F8_E5M2"):
        ours._load_safetensors(tmp_path / "f")
    with pytest.raises(SafetensorError, match="framework 'tf' is not converted"):
        ours._SafeOpen(tmp_path / "f", "tf")
    (tmp_path / "g").write_bytes(b"damaged, as it begins with no length")
    with pytest.raises(SafetensorError):
        ours._load_safetensors(tmp_path / "g")


def test_a_network_gets_the_names_that_it_has(tmp_path: Path) -> None:
    layer = ms.mint.nn.Linear(2, 2)
    net, other = ms.nn.SequentialCell(layer, layer), ms.nn.SequentialCell(ms.mint.nn.Linear(2, 2), ms.nn.Tanh())
    ours._save_model(net, tmp_path / "f", {"format": "pt"})
    with safe_open(tmp_path / "f", "np") as file:
        assert sorted(file.keys()) == ["0.bias", "0.weight"]
        assert file.metadata() == {"1.weight": "0.weight", "1.bias": "0.bias", "format": "pt"}
    assert ours._load_model(net, tmp_path / "f") == ours._load_model(other, tmp_path / "f") == (set(), [])
    more = ms.nn.SequentialCell(ms.nn.Tanh(), ms.mint.nn.Linear(2, 2))
    text = r"SequentialCell:\n    Missing key\(s\) in state_dict: \"1.bias\", \"1.weight\"\n    Unexpected key\(s\) .*\"0.bias\""
    with pytest.raises(RuntimeError, match=text):
        ours._load_model(more, tmp_path / "f")
    missing, unexpected = ours._load_model(more, tmp_path / "f", strict=False)
    assert missing == {"1.bias", "1.weight"} and sorted(unexpected) == ["0.bias", "0.weight"]
