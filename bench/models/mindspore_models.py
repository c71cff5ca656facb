"""The models in MindSpore, NCHW: one source for MindSpore and for sporax."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

from bench.specs import CONTEXT, DEPTH, HEADS, HIDDEN, LAYERS, VOCAB, WIDTH, bottleneck_blocks, resnet_blocks


class LeNet(nn.Cell):
    """LeNet-5 with ReLU and maximum pooling."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)
        self.pool, self.relu, self.flatten = nn.MaxPool2d(2, 2), nn.ReLU(), nn.Flatten()

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


class ConvNorm(nn.SequentialCell):
    """A convolution without bias and its batch normalization."""

    def __init__(self, cin, cout, kernel, stride=1):
        conv = nn.Conv2d(cin, cout, kernel, stride, pad_mode="pad", padding=kernel // 2)
        super().__init__(conv, nn.BatchNorm2d(cout))


class Residual(nn.Cell):
    """A basic residual block."""

    def __init__(self, cin, cout, stride):
        super().__init__()
        self.a, self.b = ConvNorm(cin, cout, 3, stride), ConvNorm(cout, cout, 3)
        self.down = ConvNorm(cin, cout, 1, stride) if stride > 1 else nn.Identity()
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.b(self.relu(self.a(x))) + self.down(x))


class ResNet18(nn.Cell):
    """ResNet-18 for 32x32 images."""

    def __init__(self):
        super().__init__()
        self.stem, self.relu = ConvNorm(3, 64, 3), nn.ReLU()
        self.blocks = nn.SequentialCell([Residual(cin, cout, stride) for _, cin, cout, stride in resnet_blocks()])
        self.head = nn.Dense(512, 10)

    def construct(self, x):
        return self.head(self.blocks(self.relu(self.stem(x))).mean((2, 3)))


class Bottleneck(nn.Cell):
    """A bottleneck block."""

    def __init__(self, cin, width, stride):
        super().__init__()
        self.a, self.b, self.c = (
            ConvNorm(cin, width, 1),
            ConvNorm(width, width, 3, stride),
            ConvNorm(width, 4 * width, 1),
        )
        self.down = ConvNorm(cin, 4 * width, 1, stride) if cin != 4 * width else nn.Identity()
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.c(self.relu(self.b(self.relu(self.a(x))))) + self.down(x))


class ResNet50(nn.Cell):
    """ResNet-50 for small images."""

    def __init__(self):
        super().__init__()
        self.stem, self.relu = ConvNorm(3, 64, 3), nn.ReLU()
        blocks = [Bottleneck(cin, width, stride) for _, cin, width, stride in bottleneck_blocks()]
        self.blocks, self.head = nn.SequentialCell(blocks), nn.Dense(2048, 10)

    def construct(self, x):
        return self.head(self.blocks(self.relu(self.stem(x))).mean((2, 3)))


class Layer(nn.Cell):
    """A pre-norm transformer layer with causal attention."""

    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm([WIDTH], epsilon=1e-5)
        self.qkv, self.out = nn.Dense(WIDTH, 3 * WIDTH), nn.Dense(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm([WIDTH], epsilon=1e-5)
        self.up, self.down = nn.Dense(WIDTH, 4 * WIDTH), nn.Dense(4 * WIDTH, WIDTH)
        self.gelu = nn.GELU()
        self.scale = (WIDTH // HEADS) ** -0.5
        self.mask = ms.Tensor(np.triu(np.full((CONTEXT, CONTEXT), -1e9, np.float32), 1))

    def construct(self, x):
        batch, length, _ = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(batch, length, 3, HEADS, WIDTH // HEADS).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = ops.matmul(q, k.swapaxes(-1, -2)) * self.scale + self.mask
        mixed = ops.matmul(ops.softmax(scores, -1), v)
        x = x + self.out(mixed.transpose(0, 2, 1, 3).reshape(batch, length, WIDTH))
        return x + self.down(self.gelu(self.up(self.norm2(x))))


class GPT(nn.Cell):
    """A character-level GPT."""

    def __init__(self):
        super().__init__()
        self.position = ms.Parameter(ops.zeros((CONTEXT, WIDTH)), name="position")
        self.token = nn.Embedding(VOCAB, WIDTH)
        self.layers = nn.SequentialCell([Layer() for _ in range(LAYERS)])
        self.norm, self.head = nn.LayerNorm([WIDTH], epsilon=1e-5), nn.Dense(WIDTH, VOCAB)

    def construct(self, x):
        return self.head(self.norm(self.layers(self.token(x) + self.position)))


class LSTM(nn.Cell):
    """A sequence classifier that reads the last hidden state."""

    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(64, HIDDEN, batch_first=True), nn.Dense(HIDDEN, 10)

    def construct(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def deep():
    """Many small dense layers: what a step costs whatever it computes."""
    return nn.SequentialCell([layer for _ in range(DEPTH) for layer in (nn.Dense(10, 10), nn.ReLU())])


def mlp():
    """Two dense layers."""
    return nn.SequentialCell(nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 10))


MODELS = {
    "mlp": mlp,
    "deep": deep,
    "lenet": LeNet,
    "resnet18": ResNet18,
    "resnet50": ResNet50,
    "gpt": GPT,
    "lstm": LSTM,
}


def training_step(net, optimizer, graph):
    """One functional training step, compiled as a whole in graph mode."""
    loss_fn = nn.CrossEntropyLoss()

    def forward(x, y):
        logits = net(x)
        return loss_fn(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        loss, grads = grad_fn(x, y)
        optimizer(grads)
        return loss

    return ms.jit(step) if graph else step
