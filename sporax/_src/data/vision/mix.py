"""Operations on batches of images and their labels: MixUpBatch, CutMixBatch, MixUp."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.randomness import generator
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transforms.base import TensorOperation
from sporax._src.data.transforms.choices import check_probability
from sporax._src.data.vision.enums import ImageBatchFormat

__all__ = ["CutMixBatch", "MixUp", "MixUpBatch"]


def check_alpha(where: str, alpha: object) -> float:
    """Return the parameter of a beta distribution.

    Raises:
        TypeError: If it is not a number.
        ValueError: If it is not positive.
    """
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)):
        raise TypeError(f"{where}: alpha must be a number, got {describe(alpha)}.")
    if alpha <= 0:
        raise ValueError(f"{where}: Input alpha must be greater than 0, got {alpha}.")
    return float(alpha)


class _OfBatches(TensorOperation):
    """An operation of a batch of images and one of one-hot labels."""

    def __call__(self, *inputs: object) -> Any:
        where = f"vision.{type(self).__name__}"
        if len(inputs) != 2:
            raise RuntimeError(f"{where}: expected images and labels, got {len(inputs)} columns.")
        images, labels = (as_array(value) for value in inputs)
        if images.ndim != 4:
            raise RuntimeError(
                f"{where}: expected a batch of images, of rank 4, got {describe(images)}; call batch first."
            )
        if labels.ndim not in (2, 3) or len(labels) != len(images) or labels.dtype.kind not in "biuf":
            raise RuntimeError(f"{where}: expected one-hot labels, a row for each image, got {describe(labels)}.")
        return self._mixed(images, labels.astype(np.float32), generator())

    def _mixed(self, images: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> Any:
        raise NotImplementedError(f"vision.{type(self).__name__} must define _mixed.")


def _cast(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = np.clip(np.rint(values), info.min, info.max)
    return values.astype(dtype)


class MixUpBatch(_OfBatches):
    """Adds to each image and its one-hot label those of another one: `w · x + (1 - w) · x'`, w from a beta distribution.

    Args:
        alpha (float): Both parameters of the beta distribution. Default: ``1.0``.

    Raises:
        TypeError: If `alpha` is not a number.
        ValueError: If `alpha` is not positive.
        RuntimeError: If the input is not a batch of images and labels.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> images, labels = vision.MixUpBatch()(np.zeros((2, 4, 4, 3), np.uint8), np.eye(2))
        >>> labels.sum(1)
        array([1., 1.], dtype=float32)
    """

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = check_alpha("vision.MixUpBatch", alpha)

    def _mixed(self, images: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> Any:
        weight, order = np.float32(rng.beta(self.alpha, self.alpha)), rng.permutation(len(images))
        mixed = images * weight + images[order] * (1 - weight)
        return _cast(mixed, images.dtype), labels * weight + labels[order] * (1 - weight)


class CutMixBatch(_OfBatches):
    """Puts a random rectangle of another image into each image, and mixes their one-hot labels by the areas.

    Args:
        image_batch_format (ImageBatchFormat): The position of the channels.
        alpha (float): Both parameters of the beta distribution of the area that stays. Default: ``1.0``.
        prob (float): The probability for each image. Default: ``1.0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `alpha` is not positive or `prob` out of range.
        RuntimeError: If the input is not a batch of images and labels.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> mix = vision.CutMixBatch(vision.ImageBatchFormat.NHWC)
        >>> images, labels = mix(np.zeros((2, 4, 4, 3), np.uint8), np.eye(2))
        >>> labels.sum(1).round(6)
        array([1., 1.], dtype=float32)
    """

    def __init__(self, image_batch_format: ImageBatchFormat, alpha: float = 1.0, prob: float = 1.0) -> None:
        where = "vision.CutMixBatch"
        if not isinstance(image_batch_format, ImageBatchFormat):
            raise TypeError(
                f"{where}: image_batch_format must be an ImageBatchFormat, got {describe(image_batch_format)}."
            )
        self.image_batch_format = image_batch_format
        self.alpha, self.prob = check_alpha(where, alpha), check_probability(where, prob)

    def _mixed(self, images: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> Any:
        channels_last = self.image_batch_format is ImageBatchFormat.NHWC
        planes = images if channels_last else images.transpose(0, 2, 3, 1)
        if planes.shape[3] not in (1, 3):
            raise RuntimeError(f"vision.CutMixBatch: expected 1 or 3 channels in {self.image_batch_format.name}, "
                               f"got {describe(images)}.")  # fmt: skip
        sides, order = np.array(planes.shape[1:3]), rng.permutation(len(images))
        out, mixed = planes.copy(), labels.copy()
        for k, other in enumerate(order):
            if rng.random() >= self.prob:
                continue
            stays = rng.beta(self.alpha, self.alpha)
            half = (sides * np.sqrt(1 - stays)).astype(int) // 2
            middle = (rng.random(2) * sides).astype(int)
            (top, left), (bottom, right) = np.maximum(middle - half, 0), np.minimum(middle + half, sides)
            out[k, top:bottom, left:right] = planes[other, top:bottom, left:right]
            weight = np.float32(1 - (bottom - top) * (right - left) / sides.prod())
            mixed[k] = labels[k] * weight + labels[other] * (1 - weight)
        return out if channels_last else np.ascontiguousarray(out.transpose(0, 3, 1, 2)), mixed


class MixUp(TensorOperation):
    """Mixes each image and its one-hot label with the next ones, as float64, each with a weight of its own.

    Args:
        batch_size (int): How many images a batch has.
        alpha (float): Both parameters of the beta distribution of the weights.
        is_single (bool): Whether the others are of the same batch, else of the one before. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is not positive, or the batch has another size.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> images, labels = vision.MixUp(2, 0.2)(np.zeros((2, 4, 4, 3), np.uint8), np.eye(2))
        >>> labels.sum(1)
        array([1., 1.])
    """

    in_python = True

    def __init__(self, batch_size: int, alpha: float, is_single: bool = True) -> None:
        self.batch_size = checks.integer("vision.MixUp", "batch_size", batch_size, 1)
        self.alpha = check_alpha("vision.MixUp", alpha)
        checks.boolean("vision.MixUp", "is_single", is_single)
        self.is_single = is_single
        self._before: tuple[np.ndarray, np.ndarray] | None = None

    def __call__(self, *inputs: object) -> Any:
        images, labels = (as_array(value) for value in inputs)
        if len(images) != self.batch_size or len(labels) != self.batch_size:
            raise ValueError(f"vision.MixUp: expected {self.batch_size} images and labels, got {describe(images)} and "
                             f"{describe(labels)}.")  # fmt: skip
        weights = generator().beta(self.alpha, self.alpha, self.batch_size)
        if self.is_single:
            others = np.roll(images, -1, 0), np.roll(labels, -1, 0)
        elif self._before is None:
            others, weights = (images, labels), np.ones(self.batch_size)
        else:
            others = self._before
        shares = weights.reshape(-1, 1, 1, 1), weights.reshape(-1, 1)  # MindSpore's labels are one-hot vectors
        pairs = zip(shares, (images, labels), others, strict=True)
        mixed = [share * values + (1 - share) * other for share, values, other in pairs]
        self._before = mixed[0], mixed[1]
        return tuple(mixed)
