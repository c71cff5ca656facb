"""What the models are made of, their batches, and what a step computes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

MODELS = ("gpt", "bert", "vit", "resnet50", "lstm")
STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # of ResNet-50: width, blocks, stride of the first
_RESNET50, _VIT = 4.09e9, 17.6e9  # products and sums of one image forward, halved: multiply-adds


@dataclass(frozen=True)
class Size:
    """The sizes of all models: GPT-2 124M, BERT-base, ViT-B/16, ResNet-50, and an LSTM of two layers.

    Attributes:
        layers, width, heads: Of the three transformers.
        vocab, tokens, sequences: Of the GPT.
        texts: Of BERT: sequences of a batch, their tokens, words of the vocabulary.
        images, side, patch: Of ViT and ResNet-50.
        lstm: Batch, steps, inputs and hidden features.
        windows, steps: How many windows of how many steps are timed.
    """

    layers: int = 12
    width: int = 768
    heads: int = 12
    vocab: int = 50257
    tokens: int = 1024
    sequences: int = 8
    images: int = 128
    side: int = 224
    patch: int = 16
    lstm: tuple[int, int, int, int] = (64, 128, 512, 512)
    texts: tuple[int, int, int] = (32, 512, 30522)
    windows: int = 5
    steps: int = 8

    @property
    def patches(self) -> int:
        """How many patches an image has."""
        return (self.side // self.patch) ** 2

    def items(self, model: str) -> int:
        """Return the tokens or images of a step."""
        of_texts = {
            "gpt": self.sequences * self.tokens, "bert": self.texts[0] * self.texts[1], "lstm": self.lstm[0] * self.lstm[1],
        }  # fmt: skip
        return of_texts.get(model, self.images)

    def flops(self, model: str) -> float:
        """Return the floating-point operations of a step's products, forward and twice that backward; NaN if not counted."""
        if model == "gpt":  # causal attention: half of the scores
            each = self.layers * (12 * self.width**2 + self.tokens * self.width) + self.vocab * self.width
            return 6 * self.sequences * self.tokens * each
        if model == "bert":  # the head is one product of a sequence
            each = self.layers * (12 * self.width**2 + 2 * self.texts[1] * self.width)
            return 6 * self.texts[0] * self.texts[1] * each
        of_images = {"resnet50": 6 * _RESNET50, "vit": 6 * _VIT} if self.side == 224 else {}
        return self.images * of_images.get(model, math.nan)

    def batches(self, model: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return two batches, taken in turn."""
        rng = np.random.default_rng(1)
        return [self._batch(model, rng) for _ in range(2)]

    def _batch(self, model: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        if model == "gpt":
            x, y = (rng.integers(0, self.vocab, (self.sequences, self.tokens)) for _ in range(2))
            return x.astype(np.int32), y.astype(np.int32)
        if model == "bert":  # word 0 pads
            count, tokens, vocab = self.texts
            x, lengths = rng.integers(1, vocab, (count, tokens)), rng.integers(tokens // 2, tokens + 1, count)
            x[np.arange(tokens) >= lengths[:, None]] = 0
            return x.astype(np.int32), rng.integers(0, 2, count).astype(np.int32)
        if model == "lstm":
            x, classes = rng.standard_normal(self.lstm[:3], np.float32), 10
        else:
            x, classes = rng.standard_normal((self.images, 3, self.side, self.side), np.float32), 1000
        return x, rng.integers(0, classes, len(x)).astype(np.int32)


LARGE = Size()
SMALL = Size(2, 64, 4, 101, 32, 2, 2, 64, 16, (4, 8, 16, 16), (2, 32, 101), 2, 2)  # a CPU takes seconds


def size(small: bool) -> Size:
    """Return the sizes."""
    return SMALL if small else LARGE
