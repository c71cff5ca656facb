"""Image operations that change brightness, contrast, saturation, hue or sharpness, by a given or a random factor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data.randomness import generator
from sporax._src.data.transforms.choices import check_probability
from sporax._src.data.vision import arguments, color, opencv
from sporax._src.data.vision.image import ImageOperation

__all__ = [
    "AdjustBrightness", "AdjustContrast", "AdjustHue", "AdjustSaturation", "AdjustSharpness",
    "RandomAdjustSharpness", "RandomColor", "RandomColorAdjust", "RandomLighting", "RandomSharpness",
]  # fmt: skip


def adjust_sharpness(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image between its smoothed copy (0) and itself (1), or beyond."""
    share = float(np.float32(factor))
    return opencv.mixed(image, share, opencv.smoothed(image), 1 - share)


class _Adjust(ImageOperation):
    """An operation with one factor."""

    least, most = 0.0, float("inf")
    needs_rgb, needs_bytes = True, False

    def __init__(self, name: str, factor: float) -> None:
        where = f"vision.{type(self).__name__}"
        if isinstance(factor, bool) or not isinstance(factor, (int, float)):
            raise TypeError(f"{where}: {name} must be a number, got {describe(factor)}.")
        if not self.least <= factor <= self.most:
            raise ValueError(f"{where}: {name} must be in [{self.least}, {self.most}], got {factor}.")
        self.factor = float(factor)
        setattr(self, name, factor)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        if self.needs_rgb and (image.ndim != 3 or image.shape[2] != 3):
            raise RuntimeError(f"vision.{type(self).__name__}: expected an image of (H, W, 3), got {describe(image)}.")
        if self.needs_bytes and image.dtype != np.uint8:
            raise RuntimeError(f"vision.{type(self).__name__}: expected a uint8 image, got {describe(image)}.")
        return self._adjusted(image)

    def _adjusted(self, image: np.ndarray) -> np.ndarray:
        raise NotImplementedError(f"vision.{type(self).__name__} must define _adjusted.")


class AdjustBrightness(_Adjust):
    """Multiplies the values.

    Args:
        brightness_factor (float): 0 gives black, 1 the image itself.

    Raises:
        TypeError: If the factor is not a number.
        ValueError: If it is negative.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.AdjustBrightness(2.0)(np.array([[10, 200]], np.uint8))
        array([[ 20, 255]], dtype=uint8)
    """

    needs_rgb = False

    def __init__(self, brightness_factor: float) -> None:
        super().__init__("brightness_factor", brightness_factor)

    def _adjusted(self, image: np.ndarray) -> np.ndarray:
        return color.adjust_brightness(image, self.factor)

    def _pil(self, image: Any, draw: object) -> Any:
        from PIL import ImageEnhance

        return ImageEnhance.Brightness(image).enhance(self.factor)


class AdjustContrast(_Adjust):
    """Moves the values away from, or towards, the mean brightness.

    Args:
        contrast_factor (float): 0 gives one grey, 1 the image itself.

    Raises:
        TypeError: If the factor is not a number.
        ValueError: If it is negative.
        RuntimeError: If the input is not an RGB image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.AdjustContrast(0.0)(np.array([[[0, 0, 0], [100, 100, 100]]], np.uint8)).ravel()
        array([50, 50, 50, 50, 50, 50], dtype=uint8)
    """

    def __init__(self, contrast_factor: float) -> None:
        super().__init__("contrast_factor", contrast_factor)

    def _adjusted(self, image: np.ndarray) -> np.ndarray:
        return color.adjust_contrast(image, self.factor)

    def _pil(self, image: Any, draw: object) -> Any:
        from PIL import ImageEnhance

        return ImageEnhance.Contrast(image).enhance(self.factor)


class AdjustSaturation(_Adjust):
    """Moves the colours away from, or towards, grey.

    Args:
        saturation_factor (float): 0 gives greys, 1 the image itself.

    Raises:
        TypeError: If the factor is not a number.
        ValueError: If it is negative.
        RuntimeError: If the input is not an RGB image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.AdjustSaturation(0.0)(np.array([[[255, 0, 0]]], np.uint8)).ravel()
        array([76, 76, 76], dtype=uint8)
    """

    def __init__(self, saturation_factor: float) -> None:
        super().__init__("saturation_factor", saturation_factor)

    def _adjusted(self, image: np.ndarray) -> np.ndarray:
        return color.adjust_saturation(image, self.factor)

    def _pil(self, image: Any, draw: object) -> Any:
        from PIL import ImageEnhance

        return ImageEnhance.Color(image).enhance(self.factor)


class AdjustHue(_Adjust):
    """Turns the colours around the circle.

    Args:
        hue_factor (float): The share of the circle, within [-0.5, 0.5].

    Raises:
        TypeError: If the factor is not a number.
        ValueError: If it is out of range.
        RuntimeError: If the input is not a uint8 RGB image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.AdjustHue(0.5)(np.array([[[255, 0, 0]]], np.uint8)).ravel()
        array([  0, 255, 252], dtype=uint8)
    """

    least, most = -0.5, 0.5
    needs_bytes = True

    def __init__(self, hue_factor: float) -> None:
        super().__init__("hue_factor", hue_factor)

    def _adjusted(self, image: np.ndarray) -> np.ndarray:
        return color.adjust_hue(image, self.factor)

    def _pil(self, image: Any, draw: object) -> Any:
        from PIL import Image

        hue, saturation, value = image.convert("HSV").split()
        turned = np.asarray(hue) + np.uint8(int(self.factor * 255) % 256)
        return Image.merge("HSV", (Image.fromarray(turned, "L"), saturation, value)).convert(image.mode)


class AdjustSharpness(_Adjust):
    """Moves the values away from, or towards, those of a smoothed copy.

    Args:
        sharpness_factor (float): 0 gives the smoothed copy, 1 the image itself.

    Raises:
        TypeError: If the factor is not a number.
        ValueError: If it is negative.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.AdjustSharpness(1.0)(np.array([[10, 200]], np.uint8))
        array([[ 10, 200]], dtype=uint8)
    """

    keeps_pil = False
    needs_rgb = False

    def __init__(self, sharpness_factor: float) -> None:
        super().__init__("sharpness_factor", sharpness_factor)

    def _adjusted(self, image: np.ndarray) -> np.ndarray:
        return adjust_sharpness(image, self.factor)


class RandomAdjustSharpness(AdjustSharpness):
    """Does what `AdjustSharpness` does, with probability `prob`.

    Args:
        degree (float): The factor.
        prob (float): The probability. Default: ``0.5``.

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomAdjustSharpness(2.0, 0.0)(np.array([[10, 200]], np.uint8))
        array([[ 10, 200]], dtype=uint8)
    """

    def __init__(self, degree: float, prob: float = 0.5) -> None:
        _Adjust.__init__(self, "degree", degree)
        self.prob = check_probability("vision.RandomAdjustSharpness", prob)

    def _draw(self, image: object) -> bool:
        return generator().random() < self.prob

    def _array(self, image: np.ndarray, draw: bool) -> np.ndarray:
        return super()._array(image, draw) if draw else image


class _Between(ImageOperation):
    """An operation with one random factor."""

    def __init__(self, degrees: object) -> None:
        self.degrees = arguments.interval(f"vision.{type(self).__name__}", "degrees", degrees, 0.0)

    def _draw(self, image: object) -> float:
        return float(generator().uniform(*self.degrees))


_UNSEEN = 0.00195  # a change of less than half a step of uint8 images


class RandomColor(_Between):
    """Moves the colours away from, or towards, grey by a random factor.

    Args:
        degrees (sequence): (least, most) factor: 0 gives greys, 1 the image itself. Default: ``(0.1, 1.9)``.

    Raises:
        TypeError: If `degrees` is not a pair of numbers.
        ValueError: If they are negative or not in order.
        RuntimeError: If the input is not an RGB image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomColor((0.0, 0.0))(np.array([[[255, 0, 0]]], np.uint8)).ravel()
        array([76, 76, 76], dtype=uint8)
    """

    def __init__(self, degrees: object = (0.1, 1.9)) -> None:
        super().__init__(degrees)

    def _array(self, image: np.ndarray, draw: float) -> np.ndarray:
        if image.ndim != 3 or image.shape[2] != 3:
            raise RuntimeError(f"vision.RandomColor: expected an image of (H, W, 3), got {describe(image)}.")
        share = np.float32(draw)
        if abs(share - 1) < _UNSEEN:
            return image
        if abs(share) < _UNSEEN:
            return color.greys(image)
        return opencv.mixed(image, float(share), color.greys(image), float(1 - share))

    def _pil(self, image: object, draw: float) -> Any:
        return AdjustSaturation(draw)._pil(image, None)


class RandomSharpness(_Between):
    """Moves the values away from, or towards, those of a smoothed copy by a random factor.

    Args:
        degrees (sequence): (least, most) factor: 0 gives the smoothed copy, 1 the image itself. Default: ``(0.1, 1.9)``.

    Raises:
        TypeError: If `degrees` is not a pair of numbers.
        ValueError: If they are negative or not in order.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomSharpness((1.0, 1.0))(np.array([[10, 200]], np.uint8))
        array([[ 10, 200]], dtype=uint8)
    """

    def __init__(self, degrees: object = (0.1, 1.9)) -> None:
        super().__init__(degrees)

    def _array(self, image: np.ndarray, draw: float) -> np.ndarray:
        return adjust_sharpness(image, draw)

    def _pil(self, image: Any, draw: float) -> Any:
        from PIL import ImageEnhance

        return ImageEnhance.Sharpness(image).enhance(draw)


_EIGEN = np.array(
    [
        [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
        [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
        [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
    ]
)  # the directions in which the colours of ImageNet vary most, by how much they do


class RandomLighting(ImageOperation):
    """Adds a random colour along the directions in which the colours of ImageNet vary.

    Args:
        alpha (float): The standard deviation of the steps along them. Default: ``0.05``.

    Raises:
        TypeError: If `alpha` is not a number.
        ValueError: If `alpha` is negative.
        RuntimeError: If the input is not an RGB image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomLighting(0.0)(np.array([[[1, 2, 3]]], np.uint8)).ravel()
        array([1, 2, 3], dtype=uint8)
    """

    def __init__(self, alpha: float = 0.05) -> None:
        if isinstance(alpha, bool) or not isinstance(alpha, (int, float)):
            raise TypeError(f"vision.RandomLighting: alpha must be a number, got {describe(alpha)}.")
        if alpha < 0:
            raise ValueError(f"vision.RandomLighting: alpha must not be negative, got {alpha}.")
        self.alpha = float(alpha)

    def _draw(self, image: object) -> np.ndarray:
        return _EIGEN @ generator().normal(0.0, self.alpha, 3)

    def _array(self, image: np.ndarray, draw: np.ndarray) -> np.ndarray:
        if image.ndim != 3 or image.shape[2] != 3:
            raise RuntimeError(f"vision.RandomLighting: expected an image of (H, W, 3), got {describe(image)}.")
        return opencv.shifted(image, draw.astype(np.float32))


_Change = Callable[[np.ndarray, float], np.ndarray]
_CHANGES: dict[str, _Change] = {
    "brightness": color.adjust_brightness,
    "contrast": color.adjust_contrast,
    "saturation": color.adjust_saturation,
    "hue": color.adjust_hue,
}


class RandomColorAdjust(ImageOperation):
    """Changes brightness, contrast, saturation and hue of an RGB image by random factors, in random order.

    Args:
        brightness (Union[float, sequence]): (least, most) factor; one number b means (max(0, 1 - b), 1 + b).
            Default: ``(1, 1)``.
        contrast (Union[float, sequence]): As `brightness`. Default: ``(1, 1)``.
        saturation (Union[float, sequence]): As `brightness`. Default: ``(1, 1)``.
        hue (Union[float, sequence]): (least, most) turn within [-0.5, 0.5]; one number h means (-h, h).
            Default: ``(0, 0)``.

    Raises:
        TypeError: If an argument is neither a number nor a pair.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an RGB image, or hues of one that is not uint8 change.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomColorAdjust(brightness=(0.5, 0.5))(np.full((1, 1, 3), 100, np.uint8)).ravel()
        array([50, 50, 50], dtype=uint8)
    """

    def __init__(
        self, brightness: object = (1, 1), contrast: object = (1, 1), saturation: object = (1, 1), hue: object = (0, 0)
    ):
        self.brightness = self._range("brightness", brightness)
        self.contrast = self._range("contrast", contrast)
        self.saturation = self._range("saturation", saturation)
        self.hue = self._range("hue", hue)

    @staticmethod
    def _range(name: str, value: object) -> tuple[float, float]:
        low, high, middle = (-0.5, 0.5, 0.0) if name == "hue" else (0.0, float("inf"), 1.0)
        pair = value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if value < 0:
                raise ValueError(f"vision.RandomColorAdjust: {name} must not be negative, got {value}.")
            pair = (-value if name == "hue" else max(low, middle - value), middle + value)
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(isinstance(v, (int, float)) for v in pair):
            raise TypeError(f"vision.RandomColorAdjust: {name} must be a number or a pair, got {describe(value)}.")
        if not low <= pair[0] <= pair[1] <= high:
            raise ValueError(
                f"vision.RandomColorAdjust: {name} must be (least, most) within [{low}, {high}], got {describe(value)}."
            )
        return float(pair[0]), float(pair[1])

    def _draw(self, image: object) -> list[tuple[_Change, float]]:
        rng = generator()
        drawn = [(change, rng.uniform(*getattr(self, name))) for name, change in _CHANGES.items()]
        neutral = [(color.adjust_hue, 0.0), *((change, 1.0) for name, change in _CHANGES.items() if name != "hue")]
        return [drawn[position] for position in rng.permutation(len(drawn)) if drawn[position] not in neutral]

    def _array(self, image: np.ndarray, draw: list[tuple[_Change, float]]) -> np.ndarray:
        needs_bytes = any(change is color.adjust_hue for change, _ in draw)
        if image.ndim != 3 or image.shape[2] != 3 or (needs_bytes and image.dtype != np.uint8):
            raise RuntimeError(f"vision.RandomColorAdjust: expected uint8 of (H, W, 3), got {describe(image)}.")
        for change, factor in draw:
            image = change(image, factor)
        return image
