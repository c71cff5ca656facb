"""The models in PyTorch, NCHW."""

import torch
import torch.nn.functional as F
from torch import nn

from bench.specs import CONTEXT, DEPTH, HEADS, HIDDEN, LAYERS, VOCAB, WIDTH, bottleneck_blocks, resnet_blocks


class LeNet(nn.Module):
    """LeNet-5 with ReLU and maximum pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


class ConvNorm(nn.Sequential):
    """A convolution without bias and its batch normalization."""

    def __init__(self, cin: int, cout: int, kernel: int, stride: int = 1) -> None:
        conv = nn.Conv2d(cin, cout, kernel, stride, kernel // 2, bias=False)
        super().__init__(conv, nn.BatchNorm2d(cout))


class Residual(nn.Module):
    """A basic residual block."""

    def __init__(self, cin: int, cout: int, stride: int) -> None:
        super().__init__()
        self.a, self.b = ConvNorm(cin, cout, 3, stride), ConvNorm(cout, cout, 3)
        self.down = ConvNorm(cin, cout, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.b(F.relu(self.a(x))) + self.down(x))


class ResNet18(nn.Module):
    """ResNet-18 for 32x32 images."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvNorm(3, 64, 3)
        self.blocks = nn.Sequential(*(Residual(cin, cout, stride) for _, cin, cout, stride in resnet_blocks()))
        self.head = nn.Linear(512, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(F.relu(self.stem(x))).mean((2, 3)))


class Bottleneck(nn.Module):
    """A bottleneck block."""

    def __init__(self, cin: int, width: int, stride: int) -> None:
        super().__init__()
        self.a, self.b, self.c = (
            ConvNorm(cin, width, 1),
            ConvNorm(width, width, 3, stride),
            ConvNorm(width, 4 * width, 1),
        )
        self.down = ConvNorm(cin, 4 * width, 1, stride) if cin != 4 * width else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.c(F.relu(self.b(F.relu(self.a(x))))) + self.down(x))


class ResNet50(nn.Module):
    """ResNet-50 for small images."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvNorm(3, 64, 3)
        self.blocks = nn.Sequential(*(Bottleneck(cin, width, stride) for _, cin, width, stride in bottleneck_blocks()))
        self.head = nn.Linear(2048, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(F.relu(self.stem(x))).mean((2, 3)))


class Layer(nn.Module):
    """A pre-norm transformer layer with causal attention."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.qkv, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.norm2, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class GPT(nn.Module):
    """A character-level GPT."""

    def __init__(self) -> None:
        super().__init__()
        self.position = nn.Parameter(torch.empty(CONTEXT, WIDTH))
        self.token = nn.Embedding(VOCAB, WIDTH)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCAB)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.layers(self.token(x) + self.position)))


class LSTM(nn.Module):
    """A sequence classifier that reads the last hidden state."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(64, HIDDEN, batch_first=True), nn.Linear(HIDDEN, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(x)[0][:, -1])


def deep() -> nn.Module:
    """Many small dense layers: what a step costs whatever it computes."""
    return nn.Sequential(*(layer for _ in range(DEPTH) for layer in (nn.Linear(10, 10), nn.ReLU())))


def mlp() -> nn.Module:
    """Two dense layers."""
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))


MODELS = {
    "mlp": mlp,
    "deep": deep,
    "lenet": LeNet,
    "resnet18": ResNet18,
    "resnet50": ResNet50,
    "gpt": GPT,
    "lstm": LSTM,
}
