"""What every framework must agree on: the table of models, their initial weights and batches, and the eager ops."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

Shape = tuple[int, ...]
Shapes = Iterator[tuple[str, Shape]]

LARGE = os.environ.get("BENCH_LARGE") == "1"  # whether models and batches are as large as a GPU is used for

VOCAB, WIDTH, HEADS, LAYERS, CONTEXT = (50257, 768, 12, 12, 1024) if LARGE else (256, 128, 4, 4, 64)
STAGES = (64, 128, 256, 512)
HIDDEN = 128
DEPTH = 100


@dataclass(frozen=True)
class Spec:
    """One model: its input, its weights in definition order, and its optimizer."""

    title: str
    x: Shape
    shapes: Callable[[], Shapes]
    optimizer: str
    lr: float
    tokens: bool = False

    def weights(self) -> dict[str, np.ndarray]:
        """The initial weights: He-normal matrices and kernels, scales near one or small, biases near zero."""
        rng = np.random.default_rng(0)
        return {name: _draw(rng, name, shape) for name, shape in self.shapes()}

    def batches(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Two batches, taken in turn: the inputs are equal and the labels differ, so no loss can sink to zero."""
        rng = np.random.default_rng(1)
        x = rng.integers(0, VOCAB, self.x) if self.tokens else rng.standard_normal(self.x)
        x = x.astype(np.int32 if self.tokens else np.float32)
        classes, shape = (VOCAB, self.x) if self.tokens else (10, self.x[:1])
        return [(x, rng.integers(0, classes, shape).astype(np.int32)) for _ in range(2)]


def _draw(rng: np.random.Generator, name: str, shape: Shape) -> np.ndarray:
    noise = rng.standard_normal(shape, dtype=np.float32)
    if name.endswith("bias"):
        return 0.01 * noise
    if name.endswith("last.scale"):  # of a bottleneck block; with ones, rounding decides the third loss of ResNet-50
        return 0.2 + 0.01 * noise
    if name.endswith("scale"):
        return 1 + 0.05 * noise
    if name.endswith("table"):
        return 0.1 * noise
    return noise * np.float32((2 / prod(shape[1:])) ** 0.5)


def _mlp() -> Shapes:
    yield from _dense("fc1", 784, 512)
    yield from _dense("fc2", 512, 10)


def _lenet() -> Shapes:
    for name, shape in (("conv1", (6, 1, 5, 5)), ("conv2", (16, 6, 5, 5))):
        yield f"{name}.weight", shape
        yield f"{name}.bias", shape[:1]
    yield from _dense("fc1", 400, 120)
    yield from _dense("fc2", 120, 84)
    yield from _dense("fc3", 84, 10)


def _resnet18() -> Shapes:
    yield from _conv_norm("stem", 3, 64, 3)
    for name, cin, cout, stride in resnet_blocks():
        yield from _conv_norm(f"{name}.0", cin, cout, 3)
        yield from _conv_norm(f"{name}.1", cout, cout, 3)
        if stride > 1:
            yield from _conv_norm(f"{name}.down", cin, cout, 1)
    yield from _dense("head", 512, 10)


def resnet_blocks() -> Iterator[tuple[str, int, int, int]]:
    """The residual blocks of ResNet-18 as (name, channels in, channels out, stride)."""
    cin = STAGES[0]
    for stage, cout in enumerate(STAGES):
        for block in range(2):
            yield f"block{stage}.{block}", cin, cout, 2 if stage and not block else 1
            cin = cout


def _resnet50() -> Shapes:
    yield from _conv_norm("stem", 3, 64, 3)
    for name, cin, width, _ in bottleneck_blocks():
        yield from _conv_norm(f"{name}.0", cin, width, 1)
        yield from _conv_norm(f"{name}.1", width, width, 3)
        yield from _conv_norm(f"{name}.last", width, 4 * width, 1)
        if cin != 4 * width:
            yield from _conv_norm(f"{name}.down", cin, 4 * width, 1)
    yield from _dense("head", 2048, 10)


def bottleneck_blocks() -> Iterator[tuple[str, int, int, int]]:
    """The bottleneck blocks of ResNet-50 as (name, channels in, width, stride); each ends in four times its width."""
    cin = STAGES[0]
    for stage, (width, count) in enumerate(zip(STAGES, (3, 4, 6, 3), strict=True)):
        for block in range(count):
            yield f"block{stage}.{block}", cin, width, 2 if stage and not block else 1
            cin = 4 * width


def _gpt() -> Shapes:
    yield "position.table", (CONTEXT, WIDTH)
    yield "token.table", (VOCAB, WIDTH)
    for i in range(LAYERS):
        yield from _norm(f"layer{i}.norm1", WIDTH)
        yield from _dense(f"layer{i}.qkv", WIDTH, 3 * WIDTH)
        yield from _dense(f"layer{i}.out", WIDTH, WIDTH)
        yield from _norm(f"layer{i}.norm2", WIDTH)
        yield from _dense(f"layer{i}.up", WIDTH, 4 * WIDTH)
        yield from _dense(f"layer{i}.down", 4 * WIDTH, WIDTH)
    yield from _norm("norm", WIDTH)
    yield from _dense("head", WIDTH, VOCAB)


def _deep() -> Shapes:
    for i in range(DEPTH):
        yield from _dense(f"fc{i}", 10, 10)


def _lstm() -> Shapes:
    yield "lstm.input.weight", (4 * HIDDEN, 64)
    yield "lstm.hidden.weight", (4 * HIDDEN, HIDDEN)
    yield "lstm.input.bias", (4 * HIDDEN,)
    yield "lstm.hidden.bias", (4 * HIDDEN,)
    yield from _dense("head", HIDDEN, 10)


def _dense(name: str, cin: int, cout: int) -> Shapes:
    yield f"{name}.weight", (cout, cin)
    yield f"{name}.bias", (cout,)


def _norm(name: str, width: int) -> Shapes:
    yield f"{name}.scale", (width,)
    yield f"{name}.bias", (width,)


def _conv_norm(name: str, cin: int, cout: int, kernel: int) -> Shapes:
    yield f"{name}.weight", (cout, cin, kernel, kernel)
    yield from _norm(name, cout)


def _spec(title: str, batch: tuple[int, int], x: Shape, shapes: Callable[[], Shapes], *rest: Any) -> Spec:
    """A model with its usual batch or its large one."""
    size = batch[LARGE]
    return Spec(title.format(batch=f"batch {size}"), (size, *x), shapes, *rest)


_GPT_TITLE = f"GPT {LAYERS} layers, d={WIDTH}, {HEADS} heads, {CONTEXT} tokens, {{batch}}, Adam"

SPECS = {
    "mlp": _spec("MLP 784-512-10, {batch}, Adam", (64, 4096), (784,), _mlp, "adam", 1e-3),
    "lenet": _spec("LeNet 1x32x32, {batch}, Momentum", (32, 1024), (1, 32, 32), _lenet, "momentum", 0.002),
    "resnet18": _spec("ResNet-18 3x32x32, {batch}, Momentum", (16, 256), (3, 32, 32), _resnet18, "momentum", 0.002),
    "resnet50": _spec("ResNet-50 3x32x32, {batch}, Momentum", (4, 256), (3, 32, 32), _resnet50, "momentum", 1e-5),
    "gpt": _spec(_GPT_TITLE, (8, 4), (CONTEXT,), _gpt, "adam", 1e-5 if LARGE else 1e-3, True),
    "deep": _spec("200 Parameters: 100 layers of 10, {batch}, Momentum", (2, 256), (10,), _deep, "momentum", 1e-3),
    "lstm": _spec("LSTM 64-128-10, 32 steps, {batch}, Adam", (32, 512), (32, 64), _lstm, "adam", 1e-3),
}

# The optimizers that are timed alone, and the shapes of the 500 Parameters that they update.
OPTIMIZERS = ("adam", "momentum")
UPDATED: tuple[Shape, ...] = ((32, 32), (32,)) * 250


@dataclass(frozen=True)
class Layer:
    """One layer that is timed alone: its kind, the shape of its input and of its weights, and what it is made with."""

    kind: str
    x: Shape
    options: dict[str, int]

    def arrays(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """An input, and weights in definition order."""
        rng = np.random.default_rng(0)
        shapes = _WEIGHTS[self.kind](**self.options)
        x = rng.standard_normal(self.x, np.float32)
        return x, [_draw(rng, "weight" if len(shape) > 1 else "bias", shape) for shape in shapes]


_WEIGHTS: dict[str, Callable[..., list[Shape]]] = {
    "convolution": lambda channels, kernel, groups: [(channels, channels // groups, kernel, kernel)],
    "attention": lambda width, heads: [(3 * width, width), (3 * width,), (width, width), (width,)],
    "interpolation": lambda size: [],
}


def _convolution(channels: int, size: int, kernel: int, groups: int, batch: int = 8) -> Layer:
    return Layer(
        "convolution", (batch, channels, size, size), {"channels": channels, "kernel": kernel, "groups": groups}
    )


LAYER_SPECS = {
    "convolution 3x3, 64 channels, 28x28": _convolution(64, 28, 3, 1),
    "convolution 3x3, 128 channels, 14x14": _convolution(128, 14, 3, 1),
    "convolution 3x3, 256 channels, 7x7": _convolution(256, 7, 3, 1),
    "convolution 1x1, 256 channels, 14x14": _convolution(256, 14, 1, 1),
    "convolution 3x3 in 32 groups, 128 channels, 28x28": _convolution(128, 28, 3, 32),
    "convolution 3x3 in 32 groups, 256 channels, 14x14": _convolution(256, 14, 3, 32),
    "depthwise 3x3, 96 channels, 28x28": _convolution(96, 28, 3, 96),
    "depthwise 3x3, 192 channels, 14x14": _convolution(192, 14, 3, 192),
    "depthwise 7x7, 192 channels, 14x14": _convolution(192, 14, 7, 192),
    "depthwise 3x3, 576 channels, 7x7": _convolution(576, 7, 3, 576),
    "attention, 196 tokens, 6 heads of 64, batch 2": Layer("attention", (2, 196, 384), {"width": 384, "heads": 6}),
    "attention, 4096 tokens, 2 heads of 32, batch 1": Layer("attention", (1, 4096, 64), {"width": 64, "heads": 2}),
    "bilinear interpolation, 64 channels, 28x28 to 56x56": Layer("interpolation", (4, 64, 28, 28), {"size": 56}),
}

# The models that are trained from batches on the host, and how many batches there are.
SUNK = ("mlp", "lenet")
SUNK_BATCHES = 32

# The checkpoint that is timed: 256 matrices of 4 MiB.
SAVED: tuple[Shape, ...] = ((1024, 1024),) * 256

# Each op runs on one float32 operand of the given shape; `i` runs through 0..63.
OPS: dict[str, tuple[Shape, Callable]] = {
    "x + x": ((64,), lambda x, i: x + x),
    "x * 2.0": ((64,), lambda x, i: x * 2.0),
    "x @ x": ((64, 64), lambda x, i: x @ x),
    "x.sum()": ((64, 64), lambda x, i: x.sum()),
    "x.reshape(-1)": ((64, 64), lambda x, i: x.reshape(-1)),
    "x[i]": ((64, 64), lambda x, i: x[i]),
}
