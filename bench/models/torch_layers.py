"""Layers that published networks lean on, in PyTorch, NCHW."""

import torch
import torch.nn.functional as F
from torch import nn


class Convolution(nn.Module):
    """A convolution that keeps the size of images."""

    def __init__(self, channels: int, kernel: int, groups: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel, padding=kernel // 2, groups=groups, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


class Attention(nn.Module):
    """Attention of all tokens to all, between its two projections."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads = heads

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).reshape(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Interpolation(nn.Module):
    """Bilinear interpolation to images of another size."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.interpolate(x, size=self.size, mode="bilinear", align_corners=False)


LAYERS = {"convolution": Convolution, "attention": Attention, "interpolation": Interpolation}
