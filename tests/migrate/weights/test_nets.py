"""Torch modules and Cells seen alike, and what is neither."""

import re
import sys

import numpy as np
import pytest
import torch

from sporax import nn
from sporax._src.migrate.weights.nets import build, net_of
from sporax.migrate import convert_weights, transfer_weights

T = torch.nn


def test_what_is_no_net_is_told(tmp_path):
    torch.save({"weight": torch.ones(3, 2)}, tmp_path / "net.pth")
    with pytest.raises(TypeError, match=r"target_net must be a torch module or a Cell, or a tuple .* got 3"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=3)
    with pytest.raises(ValueError, match="One side must be PyTorch's"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=T.Linear(2, 3))
    with pytest.raises(
        TypeError, match=r"expected a torch module and a Cell, in either order, got 'Dense' and 'Dense'"
    ):
        transfer_weights(nn.Dense(2, 2), nn.Dense(2, 2))


@pytest.mark.parametrize("layer", [T.Linear(2, 3), nn.Dense(2, 3)])
def test_arrays_are_read_and_set_alike(layer) -> None:
    net = net_of(layer, "net")
    assert net.side == ("cell" if isinstance(layer, nn.Cell) else "torch")
    assert {name: array.shape for name, array in net.arrays.items()} == {"weight": (3, 2), "bias": (3,)}
    assert net.parameters == ["weight", "bias"] and net.optimizer_arrays is None
    net.set({"bias": np.arange(3.0)})
    assert net.arrays["bias"].tolist() == [0, 1, 2] and net.arrays["bias"].dtype == np.float32


def test_a_net_comes_with_its_optimizer() -> None:
    cell = nn.Dense(2, 3)
    net = net_of((cell, nn.Momentum(cell.trainable_params(), 0.1, 0.9)), "net")
    assert {"moments.weight", "moments.bias", "learning_rate"} <= {*net.optimizer_arrays}
    assert net_of(None, "net") is None


@pytest.mark.parametrize(
    ("spec", "error", "told"),
    [
        ("net.py", ValueError, "--net net.py: expected FILE.py:FUNCTION, such as model.py:build"),
        ("none.py:build", ValueError, "--net none.py:build: there is no file none.py"),
        ("net.py:other", ValueError, "--net net.py:other: net.py has no function other; it has build, nothing, fails"),
        ("net.py:fails", ValueError, "--net net.py:fails: fails() fails: KeyError: 3"),
        ("net.py:nothing", TypeError, "--net net.py:nothing: nothing() must return a torch module or a Cell, got None"),
        (
            "broken.py:build",
            ValueError,
            "--net broken.py:build: broken.py does not run: NameError: name 'x' is not defined",
        ),
    ],
)
def test_functions_that_make_no_net(spec: str, error: type[Exception], told: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("x\n")
    (tmp_path / "net.py").write_text(
        "import torch\ndef build():\n    return torch.nn.Linear(2, 3)\ndef nothing(): ...\n"
        "def fails():\n    raise KeyError(3)\n"
    )
    assert build("net.py:build", "--net").side == "torch"
    before = [*sys.path]
    with pytest.raises(error, match=re.escape(told)):
        build(spec, "--net")
    assert sys.path == before
