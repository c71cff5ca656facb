"""The steps in sporax, as programs for MindSpore are written.

sporax plan --kernels --machine H200 bench/gpu/sporax_steps.py gpt bfloat16     # what XLA makes of a step
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import sporax as ms
from bench.gpu.sizes import STAGES, Size, size
from sporax import nn, ops


class Layer(nn.Cell):
    """A pre-norm transformer layer; its attention is written in products."""

    def __init__(self, at: Size, mask: ms.Tensor | None):
        super().__init__()
        self.heads, self.mask = at.heads, mask
        self.n1, self.n2 = nn.LayerNorm([at.width], epsilon=1e-5), nn.LayerNorm([at.width], epsilon=1e-5)
        self.qkv, self.out = nn.Dense(at.width, 3 * at.width), nn.Dense(at.width, at.width)
        self.up, self.down, self.gelu = nn.Dense(at.width, 4 * at.width), nn.Dense(4 * at.width, at.width), nn.GELU()

    def construct(self, x):
        b, t, w = x.shape
        qkv = self.qkv(self.n1(x)).reshape(b, t, 3, self.heads, w // self.heads).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = ops.matmul(q, k.swapaxes(-1, -2)) * (w // self.heads) ** -0.5
        if self.mask is not None:
            scores = scores + self.mask.astype(scores.dtype)
        x = x + self.out(ops.matmul(ops.softmax(scores, -1), v).transpose(0, 2, 1, 3).reshape(b, t, w))
        return x + self.down(self.gelu(self.up(self.n2(x))))


class GPT(nn.Cell):
    """GPT-2."""

    def __init__(self, at: Size):
        super().__init__()
        causal = ms.Tensor(np.triu(np.full((at.tokens, at.tokens), -1e9, np.float32), 1))
        self.token = nn.Embedding(at.vocab, at.width)
        self.position = ms.Parameter(ops.zeros((at.tokens, at.width)), name="position")
        self.layers = nn.SequentialCell([Layer(at, causal) for _ in range(at.layers)])
        self.norm = nn.LayerNorm([at.width], epsilon=1e-5)
        self.head = nn.Dense(at.width, at.vocab, has_bias=False)

    def construct(self, x):
        logits = self.head(self.norm(self.layers(self.token(x) + self.position)))
        return logits.reshape(-1, logits.shape[-1])


class BertLayer(Layer):
    """A post-norm transformer layer; a mask of its input is added."""

    def construct(self, x, mask):
        b, t, w = x.shape
        qkv = self.qkv(x).reshape(b, t, 3, self.heads, w // self.heads).transpose(2, 0, 3, 1, 4)
        scores = ops.matmul(qkv[0], qkv[1].swapaxes(-1, -2)) * (w // self.heads) ** -0.5
        mixed = ops.matmul(ops.softmax(scores + mask.astype(scores.dtype), -1), qkv[2])
        x = self.n1(x + self.out(mixed.transpose(0, 2, 1, 3).reshape(b, t, w)))
        return self.n2(x + self.down(self.gelu(self.up(x))))


class BERT(nn.Cell):
    """BERT-base for two classes; word 0 pads."""

    def __init__(self, at: Size):
        super().__init__()
        _, tokens, vocab = at.texts
        self.token, self.norm = nn.Embedding(vocab, at.width), nn.LayerNorm([at.width], epsilon=1e-5)
        self.position = ms.Parameter(ops.zeros((tokens, at.width)), name="position")
        self.layers = nn.CellList([BertLayer(at, None) for _ in range(at.layers)])
        self.pooler, self.head = nn.Dense(at.width, at.width), nn.Dense(at.width, 2)

    def construct(self, x):
        mask = ((x == 0).astype(ms.float32) * -10000.0).reshape(x.shape[0], 1, 1, x.shape[1])
        h = self.norm(self.token(x) + self.position)
        for layer in self.layers:
            h = layer(h, mask)
        return self.head(ops.tanh(self.pooler(h[:, 0])))


class ViT(nn.Cell):
    """ViT-B/16 with the mean of its patches."""

    def __init__(self, at: Size):
        super().__init__()
        self.patches = nn.Conv2d(3, at.width, at.patch, at.patch, pad_mode="valid", has_bias=True)
        self.position = ms.Parameter(ops.zeros((at.patches, at.width)), name="position")
        self.layers = nn.SequentialCell([Layer(at, None) for _ in range(at.layers)])
        self.norm, self.head = nn.LayerNorm([at.width], epsilon=1e-5), nn.Dense(at.width, 1000)

    def construct(self, x):
        x = self.patches(x)
        x = x.reshape(*x.shape[:2], -1).transpose(0, 2, 1)
        return self.head(self.norm(self.layers(x + self.position)).mean(1))


class LSTM(nn.Cell):
    """An LSTM of two layers and its last state."""

    def __init__(self, at: Size):
        super().__init__()
        _, _, inputs, hidden = at.lstm
        self.lstm, self.head = nn.LSTM(inputs, hidden, num_layers=2, batch_first=True), nn.Dense(hidden, 10)

    def construct(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def conv_norm(cin: int, cout: int, kernel: int, stride: int = 1) -> nn.SequentialCell:
    """Return a convolution and its normalization."""
    conv = nn.Conv2d(cin, cout, kernel, stride, pad_mode="pad", padding=kernel // 2)
    return nn.SequentialCell(conv, nn.BatchNorm2d(cout))


class Bottleneck(nn.Cell):
    """A block of ResNet-50."""

    def __init__(self, cin: int, width: int, stride: int):
        super().__init__()
        self.a, self.b = conv_norm(cin, width, 1), conv_norm(width, width, 3, stride)
        self.c, self.relu = conv_norm(width, 4 * width, 1), nn.ReLU()
        self.down = conv_norm(cin, 4 * width, 1, stride) if cin != 4 * width else nn.Identity()

    def construct(self, x):
        return self.relu(self.c(self.relu(self.b(self.relu(self.a(x))))) + self.down(x))


class ResNet50(nn.Cell):
    """ResNet-50."""

    def __init__(self, at: Size):
        super().__init__()
        self.stem, self.relu = conv_norm(3, 64, 7, 2), nn.ReLU()
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        blocks, cin = [], 64
        for width, count, stride in STAGES:
            for k in range(count):
                blocks.append(Bottleneck(cin, width, 1 if k else stride))
                cin = 4 * width
        self.blocks, self.head = nn.SequentialCell(blocks), nn.Dense(2048, 1000)

    def construct(self, x):
        return self.head(self.blocks(self.pool(self.relu(self.stem(x)))).mean((2, 3)))


NETWORKS = {"gpt": GPT, "bert": BERT, "vit": ViT, "lstm": LSTM, "resnet50": ResNet50}


def training_step(model: str, at: Size, precision: str, graph: bool) -> Callable[[int], ms.Tensor]:
    """Return a step of a model, which takes the number of the step and returns the loss."""
    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    net = NETWORKS[model](at)
    if precision == "bfloat16":
        net = ms.amp.auto_mixed_precision(net, "O2", ms.bfloat16)
    net.set_train()
    loss_fn, params = nn.CrossEntropyLoss(), net.trainable_params()
    optimizer = nn.Momentum(params, 0.01, 0.9) if model == "resnet50" else nn.Adam(params, 1e-4)

    def forward(x, y):
        return loss_fn(net(x).astype(ms.float32), y.reshape(-1))

    grad = ms.value_and_grad(forward, None, params)

    def train(x, y):
        loss, grads = grad(x, y)
        optimizer(grads)
        return loss

    run = ms.jit(train) if graph else train
    given = [(ms.Tensor(x), ms.Tensor(y)) for x, y in at.batches(model)]
    return lambda i: run(*given[i % 2])


if __name__ == "__main__":
    training_step(sys.argv[1], size("--small" in sys.argv), sys.argv[2], True)(0)
