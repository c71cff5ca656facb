"""Torch modules and Cells seen alike, and what is neither."""

import pytest
import torch

from sporax import nn
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
