"""The steps in torch, eager or compiled: `scaled_dot_product_attention`, autocast, channels_last, fused optimizers."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional as F

from bench.gpu.sizes import STAGES, Size

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Layer(nn.Module):
    """A pre-norm transformer layer."""

    def __init__(self, at: Size, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal, w = at.heads, causal, at.width
        self.n1, self.n2 = nn.LayerNorm(w), nn.LayerNorm(w)
        self.qkv, self.out = nn.Linear(w, 3 * w), nn.Linear(w, w)
        self.up, self.down = nn.Linear(w, 4 * w), nn.Linear(4 * w, w)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, w = x.shape
        q, k, v = self.qkv(self.n1(x)).reshape(b, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.out(mixed.transpose(1, 2).reshape(b, t, w))
        return x + self.down(F.gelu(self.up(self.n2(x)), approximate="tanh"))


class GPT(nn.Module):
    """GPT-2."""

    def __init__(self, at: Size) -> None:
        super().__init__()
        self.token, self.position = nn.Embedding(at.vocab, at.width), nn.Parameter(torch.zeros(at.tokens, at.width))
        self.layers, self.norm = nn.Sequential(*[Layer(at, True) for _ in range(at.layers)]), nn.LayerNorm(at.width)
        self.head = nn.Linear(at.width, at.vocab, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.layers(self.token(x) + self.position))).flatten(0, 1)


class BertLayer(Layer):
    """A post-norm transformer layer."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        b, t, w = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.n1(x + self.out(mixed.transpose(1, 2).reshape(b, t, w)))
        return self.n2(x + self.down(F.gelu(self.up(x), approximate="tanh")))


class BERT(nn.Module):
    """BERT-base for two classes; word 0 pads."""

    def __init__(self, at: Size) -> None:
        super().__init__()
        _, tokens, vocab = at.texts
        self.token, self.norm = nn.Embedding(vocab, at.width), nn.LayerNorm(at.width)
        self.position = nn.Parameter(torch.zeros(tokens, at.width))
        self.layers = nn.ModuleList([BertLayer(at, causal=False) for _ in range(at.layers)])
        self.pooler, self.head = nn.Linear(at.width, at.width), nn.Linear(at.width, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = (x != 0)[:, None, None]
        h = self.norm(self.token(x) + self.position)
        for layer in self.layers:
            h = layer(h, mask)
        return self.head(torch.tanh(self.pooler(h[:, 0])))


class ViT(nn.Module):
    """ViT-B/16 with the mean of its patches."""

    def __init__(self, at: Size) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, at.width, at.patch, at.patch)
        self.position = nn.Parameter(torch.zeros(at.patches, at.width))
        self.layers, self.norm = nn.Sequential(*[Layer(at, False) for _ in range(at.layers)]), nn.LayerNorm(at.width)
        self.head = nn.Linear(at.width, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2) + self.position
        return self.head(self.norm(self.layers(x)).mean(1))


class LSTM(nn.Module):
    """An LSTM of two layers and its last state."""

    def __init__(self, at: Size) -> None:
        super().__init__()
        _, _, inputs, hidden = at.lstm
        self.lstm, self.head = nn.LSTM(inputs, hidden, num_layers=2, batch_first=True), nn.Linear(hidden, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(x)[0][:, -1])


def conv_norm(cin: int, cout: int, kernel: int, stride: int = 1) -> nn.Sequential:
    """Return a convolution and its normalization."""
    conv = nn.Conv2d(cin, cout, kernel, stride, padding=kernel // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(cout))


class Bottleneck(nn.Module):
    """A block of ResNet-50."""

    def __init__(self, cin: int, width: int, stride: int) -> None:
        super().__init__()
        self.a, self.b = conv_norm(cin, width, 1), conv_norm(width, width, 3, stride)
        self.c = conv_norm(width, 4 * width, 1)
        self.down = conv_norm(cin, 4 * width, 1, stride) if cin != 4 * width else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.c(F.relu(self.b(F.relu(self.a(x))))) + self.down(x))


class ResNet50(nn.Module):
    """ResNet-50."""

    def __init__(self, at: Size) -> None:
        super().__init__()
        self.stem, blocks, cin = conv_norm(3, 64, 7, 2), [], 64
        for width, count, stride in STAGES:
            for k in range(count):
                blocks.append(Bottleneck(cin, width, 1 if k else stride))
                cin = 4 * width
        self.blocks, self.head = nn.Sequential(*blocks), nn.Linear(2048, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.stem(x)), 3, 2, 1)
        return self.head(self.blocks(x).mean((2, 3)))


NETWORKS = {"gpt": GPT, "bert": BERT, "vit": ViT, "lstm": LSTM, "resnet50": ResNet50}


def training_step(model: str, at: Size, precision: str, compiled: bool) -> Callable[[int], torch.Tensor]:
    """Return a step of a model, which takes the number of the step and returns the loss."""
    torch.set_float32_matmul_precision("highest")  # torch's default, as is TF32 in convolutions
    net = NETWORKS[model](at).to(DEVICE).train()
    layout = torch.channels_last if model == "resnet50" else torch.contiguous_format
    if model == "resnet50":
        net = net.to(memory_format=layout)
        optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
    else:
        optimizer = torch.optim.Adam(net.parameters(), 1e-4, fused=DEVICE == "cuda")
    run = torch.compile(net) if compiled else net
    given = [
        (
            torch.from_numpy(x).to(DEVICE).contiguous(memory_format=layout),
            torch.from_numpy(y).to(DEVICE).long().flatten(),
        )
        for x, y in at.batches(model)
    ]

    def step(i: int) -> torch.Tensor:
        x, y = given[i % 2]
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=precision == "bfloat16"):
            loss = F.cross_entropy(run(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    return step


def memory() -> float | None:
    """Return the MiB that the card held at most; None on a CPU."""
    return torch.cuda.max_memory_allocated() / 2**20 if DEVICE == "cuda" else None
