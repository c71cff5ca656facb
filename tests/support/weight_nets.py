"""Nets of both sides whose weights are carried over."""

from typing import Any

import numpy as np
import torch

from sporax import nn


class Torch(torch.nn.Module):
    """A net made of the attributes that are given."""

    def __init__(self, **layers: torch.nn.Module) -> None:
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)


class Net(nn.Cell):
    """The same as a Cell."""

    def __init__(self, **layers: nn.Cell) -> None:
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)


def numbers(*shape: int) -> np.ndarray:
    """Return random float32 numbers."""
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def small_net() -> torch.nn.Module:
    """Return a torch net with a layer of each kind that the two sides store differently."""
    T = torch.nn
    torch.manual_seed(0)
    net = T.Sequential(
        T.Conv2d(3, 4, 3), T.BatchNorm2d(4), T.PReLU(4), T.Conv1d(4, 2, 3), T.LayerNorm(5), T.Linear(5, 2)
    )
    for _, buffer in net.named_buffers():
        buffer.add_(torch.rand(buffer.shape).to(buffer.dtype))
    return net


def small_cell() -> nn.Cell:
    """Return the Cell with the same layers."""
    layers: list[Any] = [
        nn.Conv2d(3, 4, 3, has_bias=True), nn.BatchNorm2d(4), nn.PReLU(4), nn.Conv1d(4, 2, 3, has_bias=True),
        nn.LayerNorm((5,)), nn.Dense(5, 2),
    ]  # fmt: skip
    return nn.SequentialCell(*layers)


# What the arrays of `small_net` are called in `small_cell`.
CLASSIC = {
    "0.weight": "0.weight", "0.bias": "0.bias", "1.weight": "1.gamma", "1.bias": "1.beta", "1.running_mean": "1.moving_mean",
    "1.running_var": "1.moving_variance", "2.weight": "2.w", "3.weight": "3.weight", "3.bias": "3.bias", "4.weight": "4.gamma",
    "4.bias": "4.beta", "5.weight": "5.weight", "5.bias": "5.bias",
}  # fmt: skip
