"""Image operations that map each value to another: AutoContrast, Equalize, Posterize, Solarize, gamma."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.randomness import generator
from sporax._src.data.transforms.choices import check_probability
from sporax._src.data.vision import arguments, opencv
from sporax._src.data.vision.color import Invert
from sporax._src.data.vision.image import ImageOperation

__all__ = [
    "AdjustGamma", "AutoContrast", "Equalize", "Posterize", "RandomAutoContrast", "RandomEqualize", "RandomInvert",
    "RandomPosterize", "RandomSolarize", "Solarize",
]  # fmt: skip


def bytes_only(where: str, image: np.ndarray) -> np.ndarray:
    """Return `image` if it is uint8.

    Raises:
        RuntimeError: If it is not.
    """
    if image.dtype != np.uint8:
        raise RuntimeError(f"vision.{where}: expected a uint8 image, got {describe(image)}.")
    return image


def auto_contrast(image: np.ndarray, cutoff: float = 0.0, ignore: tuple[int, ...] = ()) -> np.ndarray:
    """Return an image whose darkest value is 0 and lightest 255, without `cutoff` percent at both ends."""

    def table(counts: np.ndarray) -> np.ndarray:
        counts = counts.copy()
        counts[list(ignore)] = 0
        cut = int(counts.sum() * cutoff / 100)
        if cut:
            for order in (slice(None), slice(None, None, -1)):
                side = counts[order]
                gone = np.minimum(side, np.maximum(cut - (np.cumsum(side) - side), 0))
                side -= gone
        used = np.flatnonzero(counts)
        if not len(used) or used[0] >= used[-1]:
            return np.arange(256, dtype=np.uint8)
        scale = np.float32(255.0 / (used[-1] - used[0]))
        stretched = np.arange(256, dtype=np.float32) * scale - np.float32(used[0]) * scale
        return np.clip(stretched.astype(np.int64), 0, 255).astype(np.uint8)

    return opencv.by_tables(image, table)


def posterize(image: np.ndarray, bits: int) -> np.ndarray:
    """Return an image with only the highest `bits` of each value."""
    return image & np.uint8(256 - (1 << 8 - bits) if bits else 0)


class AutoContrast(ImageOperation):
    """Stretches the values of each channel over the whole range.

    Args:
        cutoff (float): The percentage left out at both ends, within [0, 50). Default: ``0.0``.
        ignore (Union[int, sequence], optional): Values that do not count. Default: ``None``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not a uint8 image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.AutoContrast()(np.array([[50, 100, 150]], np.uint8))
        array([[  0, 127, 255]], dtype=uint8)
    """

    def __init__(self, cutoff: float = 0.0, ignore: object = None) -> None:
        where = f"vision.{type(self).__name__}"
        if isinstance(cutoff, bool) or not isinstance(cutoff, (int, float)):
            raise TypeError(f"{where}: cutoff must be a number, got {describe(cutoff)}.")
        if not 0 <= cutoff < 50:
            raise ValueError(f"{where}: cutoff must be in [0, 50), got {cutoff}.")
        values = () if ignore is None else (ignore,) if isinstance(ignore, int) else ignore
        if not isinstance(values, (list, tuple)):
            raise TypeError(f"{where}: ignore must be an int or a list of them, got {describe(ignore)}.")
        self.cutoff = float(cutoff)
        self.ignore = tuple(checks.integer(where, "ignore", value, 0, 255) for value in values)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return auto_contrast(bytes_only(type(self).__name__, image), self.cutoff, self.ignore)

    def _pil(self, image: Any, draw: object) -> Any:
        from PIL import ImageOps

        return ImageOps.autocontrast(image, self.cutoff, self.ignore or None)


class Equalize(ImageOperation):
    """Spreads the values of each channel so that all are about as frequent.

    Raises:
        RuntimeError: If the input is not a uint8 image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Equalize()(np.arange(0, 256, 2, dtype=np.uint8).repeat(4).reshape(16, 32)).max()
        np.uint8(255)
    """

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return opencv.equalized(bytes_only(type(self).__name__, image))

    def _pil(self, image: Any, draw: object) -> Any:
        from PIL import ImageOps

        return ImageOps.equalize(image)


class Posterize(ImageOperation):
    """Keeps the highest bits of each value.

    Args:
        bits (int): How many, of [0, 8].

    Raises:
        TypeError: If `bits` is not an int.
        ValueError: If `bits` is out of range.
        RuntimeError: If the input is not a uint8 image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Posterize(2)(np.array([[63, 64, 255]], np.uint8))
        array([[  0,  64, 192]], dtype=uint8)
    """

    keeps_pil = False

    def __init__(self, bits: int) -> None:
        self.bits = checks.integer("vision.Posterize", "bits", bits, 0, 8)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return posterize(bytes_only(type(self).__name__, image), self.bits)


class Solarize(ImageOperation):
    """Turns the values between two thresholds into their negatives.

    Args:
        threshold (Union[float, sequence]): (least, most) value; one number means from it up to 255.

    Raises:
        TypeError: If `threshold` is neither a number nor a pair.
        ValueError: If a number is out of [0, 255], or they are not in order.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Solarize(128)(np.array([[100, 200]], np.uint8))
        array([[100,  55]], dtype=uint8)
    """

    keeps_pil = False

    def __init__(self, threshold: object) -> None:
        pair = (threshold, 255) if isinstance(threshold, (int, float)) else threshold
        self.threshold = _thresholds("vision.Solarize", pair)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return opencv.negated(image, *self.threshold)


def _thresholds(where: str, value: object) -> tuple[float, float]:
    pair = arguments.interval(where, "threshold", value, 0.0)
    if pair[1] > 255:
        raise ValueError(f"{where}: threshold must be within [0, 255], got {describe(value)}.")
    return pair


class AdjustGamma(ImageOperation):
    """Raises the values, taken as shares of the highest, to a power.

    Args:
        gamma (float): The power, not negative: below 1 dark parts become lighter.
        gain (float): A factor. Default: ``1``.

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If `gamma` is negative.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.AdjustGamma(0.5)(np.array([[0, 64, 255]], np.uint8))
        array([[  0, 128, 255]], dtype=uint8)
    """

    takes_batches = True

    def __init__(self, gamma: float, gain: float = 1) -> None:
        for name, value in (("gamma", gamma), ("gain", gain)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"vision.AdjustGamma: {name} must be a number, got {describe(value)}.")
        if gamma < 0:
            raise ValueError(f"vision.AdjustGamma: gamma must not be negative, got {gamma}.")
        self.gamma, self.gain = float(gamma), float(gain)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        if image.dtype.kind == "f":
            return np.minimum((image * self.gain) ** self.gamma, 1).astype(np.float32)
        if image.dtype != np.uint8 and image.size and not (0 <= image.min() and image.max() <= 255):
            raise RuntimeError(
                f"vision.AdjustGamma: expected values of [0, 255] for {image.dtype}, got {describe(image)}."
            )
        return opencv.looked_up(image.astype(np.uint8, copy=False), self._table()).astype(image.dtype, copy=False)

    def _pil(self, image: Any, draw: object) -> Any:
        return image.point(self._table().tolist() * len(image.getbands()))

    def _table(self) -> np.ndarray:
        shares = np.arange(256) / 255.0
        return np.clip((shares**self.gamma * self.gain * 255.999).astype(np.int64), 0, 255).astype(np.uint8)


class _ByChance(ImageOperation):
    """An operation that is done with some probability."""

    keeps_pil = False

    def __init__(self, operation: ImageOperation, prob: float) -> None:
        self.operation, self.prob = operation, check_probability(f"vision.{type(self).__name__}", prob)

    def _draw(self, image: object) -> bool:
        return generator().random() < self.prob

    def _array(self, image: np.ndarray, draw: bool) -> np.ndarray:
        return self.operation._array(image, None) if draw else image


class RandomAutoContrast(_ByChance):
    """Does what `AutoContrast` does, with probability `prob`.

    Args:
        cutoff (float): As for `AutoContrast`. Default: ``0.0``.
        ignore (Union[int, sequence], optional): As for `AutoContrast`. Default: ``None``.
        prob (float): The probability. Default: ``0.5``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not a uint8 image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomAutoContrast(prob=1.0)(np.array([[50, 100, 150]], np.uint8))
        array([[  0, 127, 255]], dtype=uint8)
    """

    def __init__(self, cutoff: float = 0.0, ignore: object = None, prob: float = 0.5) -> None:
        super().__init__(AutoContrast(cutoff, ignore), prob)


class RandomEqualize(_ByChance):
    """Does what `Equalize` does, with probability `prob`.

    Args:
        prob (float): The probability. Default: ``0.5``.

    Raises:
        TypeError: If `prob` is not a number.
        ValueError: If `prob` is out of [0, 1].
        RuntimeError: If the input is not a uint8 image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomEqualize(1.0)(np.zeros((2, 2), np.uint8)).max()
        np.uint8(0)
    """

    def __init__(self, prob: float = 0.5) -> None:
        super().__init__(Equalize(), prob)


class RandomInvert(_ByChance):
    """Does what `Invert` does, with probability `prob`.

    Args:
        prob (float): The probability. Default: ``0.5``.

    Raises:
        TypeError: If `prob` is not a number.
        ValueError: If `prob` is out of [0, 1].
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomInvert(1.0)(np.array([[0, 250]], np.uint8))
        array([[255,   5]], dtype=uint8)
    """

    def __init__(self, prob: float = 0.5) -> None:
        super().__init__(Invert(), prob)


class RandomPosterize(ImageOperation):
    """Keeps a random number of the highest bits of each value.

    Args:
        bits (Union[int, sequence]): (least, most) number, of [1, 8]; one number means just that. Default: ``(8, 8)``.

    Raises:
        TypeError: If `bits` is neither an int nor a pair.
        ValueError: If a number is out of range, or they are not in order.
        RuntimeError: If the input is not a uint8 image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomPosterize(2)(np.array([[63, 64, 255]], np.uint8))
        array([[  0,  64, 192]], dtype=uint8)
    """

    keeps_pil = False

    def __init__(self, bits: object = (8, 8)) -> None:
        pair = (bits, bits) if isinstance(bits, int) else bits
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(f"vision.RandomPosterize: bits must be an int or (least, most), got {describe(bits)}.")
        low, high = (checks.integer("vision.RandomPosterize", "bits", value, 1, 8) for value in pair)
        if low > high:
            raise ValueError(f"vision.RandomPosterize: bits must be (least, most) in order, got {describe(bits)}.")
        self.bits = (low, high)

    def _draw(self, image: object) -> int:
        return int(generator().integers(self.bits[0], self.bits[1] + 1))

    def _array(self, image: np.ndarray, draw: int) -> np.ndarray:
        return posterize(bytes_only(type(self).__name__, image), draw)


class RandomSolarize(ImageOperation):
    """Turns the values between two random thresholds into their negatives.

    Args:
        threshold (tuple): (least, most) threshold of [0, 255]; two equal ones: all values from there up.
            Default: ``(0, 255)``.

    Raises:
        TypeError: If `threshold` is not a pair.
        ValueError: If a number is out of [0, 255], or they are not in order.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomSolarize((128, 128))(np.array([[100, 200]], np.uint8))
        array([[100,  55]], dtype=uint8)
    """

    keeps_pil = False

    def __init__(self, threshold: object = (0, 255)) -> None:
        self.threshold = _thresholds("vision.RandomSolarize", threshold)

    def _draw(self, image: object) -> tuple[int, float]:
        low, high = map(int, self.threshold)
        ends = sorted(generator().integers(low, high + 1, 2).tolist())
        return (ends[0], math.inf) if ends[0] == ends[1] else (ends[0], ends[1])

    def _array(self, image: np.ndarray, draw: tuple[int, float]) -> np.ndarray:
        return opencv.negated(image, *draw)
