"""Chains of image operations drawn at random: RandAugment, AutoAugment, TrivialAugmentWide, UniformAugment, policies."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.randomness import generator
from sporax._src.data.transforms.base import TensorOperation
from sporax._src.data.transforms.choices import check_operations, check_probability, in_turn
from sporax._src.data.vision import arguments, color, opencv
from sporax._src.data.vision.affine import affine_matrix, rotated
from sporax._src.data.vision.color_jitter import adjust_sharpness
from sporax._src.data.vision.enums import AutoAugmentPolicy, Inter
from sporax._src.data.vision.image import ImageOperation, size_of
from sporax._src.data.vision.pointwise import auto_contrast, bytes_only, posterize

__all__ = ["AutoAugment", "RandAugment", "RandomSelectSubpolicy", "TrivialAugmentWide", "UniformAugment"]

# Strengths by step; those in _SIGNED get a random sign.
_SIGNED = {"ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast", "Sharpness"}
_PLAIN = ("Identity", "AutoContrast", "Equalize", "Invert")
_CHOICES = ("Identity", "ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast",
            "Sharpness", "Posterize", "Solarize", "AutoContrast", "Equalize")  # fmt: skip


def strengths(name: str, bins: int, size: tuple[int, int], wide: bool = False, brightest: float = 255.0) -> np.ndarray:
    """Return the strengths of an operation, weakest first.

    Args:
        name: The operation.
        bins: How many.
        size: Height and width of the image.
        wide: Whether they go as far as those of TrivialAugmentWide.
        brightest: The highest threshold of Solarize.
    """
    if name == "Posterize":
        steps = np.arange(bins) / ((bins - 1) / (6 if wide else 4)) if bins > 1 else np.zeros(1)
        return 8 - np.round(steps).astype(int)
    if name == "Solarize":
        return _even_steps(brightest, 0.0, bins)
    height, width = size
    most = {
        "ShearX": 0.99 if wide else 0.3, "ShearY": 0.99 if wide else 0.3,
        "TranslateX": 32.0 if wide else 150.0 / 331.0 * width, "TranslateY": 32.0 if wide else 150.0 / 331.0 * height,
        "Rotate": 135.0 if wide else 30.0,
    }  # fmt: skip
    return _even_steps(0.0, most.get(name, 0.99 if wide else 0.9), bins)


def _even_steps(first: float, last: float, count: int) -> np.ndarray:
    step = np.float32(last - first) / np.float32(max(count - 1, 1))
    return np.float32(first) + np.arange(count, dtype=np.float32) * step


class _Augment(ImageOperation):
    """Base of the operations that draw (operation, strength) pairs."""

    brightest = 255.0  # the highest threshold of Solarize

    def __init__(self, interpolation: Inter, fill_value: object) -> None:
        where = f"vision.{type(self).__name__}"
        self.interpolation = arguments.choice(where, "interpolation", interpolation, Inter)
        self.fill_value = arguments.colour(where, fill_value)

    def _array(self, image: np.ndarray, draw: list[tuple[str, float]]) -> np.ndarray:
        bytes_only(type(self).__name__, image)
        if image.ndim != 3 or image.shape[2] != 3:
            raise RuntimeError(f"vision.{type(self).__name__}: expected an image of (H, W, 3), got {describe(image)}.")
        for name, strength in draw:
            image = self._changed(image, name, strength)
        return image

    def _changed(self, image: np.ndarray, name: str, strength: float) -> np.ndarray:
        plain = {
            "Identity": lambda x: x, "AutoContrast": auto_contrast, "Equalize": opencv.equalized, "Invert": lambda x: 255 - x,
        }  # fmt: skip
        mixed = {
            "Brightness": color.adjust_brightness, "Color": color.adjust_saturation,
            "Contrast": color.adjust_contrast, "Sharpness": adjust_sharpness,
        }  # fmt: skip
        if name in plain:
            return plain[name](image)
        if name in mixed:
            return mixed[name](image, 1.0 + strength)
        if name == "Posterize":
            return posterize(image, int(strength))
        if name == "Solarize":
            return opencv.negated(image, strength, 255)
        return self._moved(image, name, strength)

    def _moved(self, image: np.ndarray, name: str, strength: float) -> np.ndarray:
        height, width = image.shape[:2]
        if name == "Rotate":
            red, green, blue = (self.fill_value * 3)[:3]
            return rotated(image, strength, self.interpolation, False, None, (red, blue, green))  # as MindSpore
        # MindSpore takes the pixels of a shift for shares of the sides, and slopes for angles in radians.
        shift = strength * width * (name == "TranslateX"), strength * height * (name == "TranslateY")
        slant = math.degrees(strength) * (name == "ShearX"), math.degrees(strength) * (name == "ShearY")
        m = affine_matrix((height, width), 0.0, shift, 1.0, slant)
        return opencv.affine(image, m, (height, width), self.interpolation, self.fill_value)

    def _strength(self, name: str, step: int | None, bins: int, size: tuple[int, int], wide: bool = False) -> float:
        if name in _PLAIN or step is None:
            return 0.0
        strength = float(strengths(name, bins, size, wide, self.brightest)[step])
        return -strength if name in _SIGNED and generator().random() < 0.5 else strength


class RandAugment(_Augment):
    """Applies some operations, drawn with equal chances, of one strength.

    Args:
        num_ops (int): How many. Default: ``2``.
        magnitude (int): Which of the strengths, from 0. Default: ``9``.
        num_magnitude_bins (int): How many strengths there are. Default: ``31``.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple[int]]): The grey or RGB value of new pixels. Default: ``0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not a uint8 RGB image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandAugment()(np.zeros((8, 8, 3), np.uint8)).shape
        (8, 8, 3)
    """

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: Inter = Inter.NEAREST,
        fill_value: object = 0,
    ) -> None:
        super().__init__(interpolation, fill_value)
        where = "vision.RandAugment"
        self.num_ops = checks.integer(where, "num_ops", num_ops, 0, 16)
        self.num_magnitude_bins = checks.integer(where, "num_magnitude_bins", num_magnitude_bins, 2)
        self.magnitude = checks.integer(where, "magnitude", magnitude, 0, num_magnitude_bins - 1)

    def _draw(self, image: object) -> list[tuple[str, float]]:
        names = [_CHOICES[k] for k in generator().integers(len(_CHOICES), size=self.num_ops)]
        bins, size = self.num_magnitude_bins, size_of(image)
        return [(name, self._strength(name, self.magnitude, bins, size)) for name in names]


class TrivialAugmentWide(_Augment):
    """Applies one operation, drawn with equal chances, of a random strength of a wide range.

    Args:
        num_magnitude_bins (int): How many strengths there are. Default: ``31``.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple[int]]): The grey or RGB value of new pixels. Default: ``0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not a uint8 RGB image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.TrivialAugmentWide()(np.zeros((8, 8, 3), np.uint8)).shape
        (8, 8, 3)
    """

    def __init__(
        self, num_magnitude_bins: int = 31, interpolation: Inter = Inter.NEAREST, fill_value: object = 0
    ) -> None:
        super().__init__(interpolation, fill_value)
        self.num_magnitude_bins = checks.integer(
            "vision.TrivialAugmentWide", "num_magnitude_bins", num_magnitude_bins, 2
        )

    def _draw(self, image: object) -> list[tuple[str, float]]:
        rng, bins = generator(), self.num_magnitude_bins
        name, step = _CHOICES[int(rng.integers(len(_CHOICES)))], int(rng.integers(bins))
        return [(name, self._strength(name, step, bins, size_of(image), wide=True))]


@functools.cache
def chains_of(policy: AutoAugmentPolicy) -> list[list[tuple[str, float, int | None]]]:
    """Return chains of (operation, probability, step), from lines such as `Posterize .4 8, Rotate .6 9`."""
    chains = []
    for line in _POLICIES[policy].strip().splitlines():
        chain: list[tuple[str, float, int | None]] = []
        for part in line.split(", "):
            name, prob, *step = part.split()
            chain.append((name, float(prob), int(step[0]) if step else None))
        chains.append(chain)
    return chains


# The chains that Cubuk et al., "AutoAugment: Learning Augmentation Policies from Data" (2019) found.
_POLICIES = {
    AutoAugmentPolicy.IMAGENET: """
Posterize .4 8, Rotate .6 9
Solarize .6 5, AutoContrast .6
Equalize .8, Equalize .6
Posterize .6 7, Posterize .6 6
Equalize .4, Solarize .2 4
Equalize .4, Rotate .8 8
Solarize .6 3, Equalize .6
Posterize .8 5, Equalize 1
Rotate .2 3, Solarize .6 8
Equalize .6, Posterize .4 6
Rotate .8 8, Color .4 0
Rotate .4 9, Equalize .6
Equalize 0, Equalize .8
Invert .6, Equalize 1
Color .6 4, Contrast 1 8
Rotate .8 8, Color 1 2
Color .8 8, Solarize .8 7
Sharpness .4 7, Invert .6
ShearX .6 5, Equalize 1
Color .4 0, Equalize .6
Equalize .4, Solarize .2 4
Solarize .6 5, AutoContrast .6
Invert .6, Equalize 1
Color .6 4, Contrast 1 8
Equalize .8, Equalize .6""",
    AutoAugmentPolicy.CIFAR10: """
Invert .1, Contrast .2 6
Rotate .7 2, TranslateX .3 9
Sharpness .8 1, Sharpness .9 3
ShearY .5 8, TranslateY .7 9
AutoContrast .5, Equalize .9
ShearY .2 7, Posterize .3 7
Color .4 3, Brightness .6 7
Sharpness .3 9, Brightness .7 9
Equalize .6, Equalize .5
Contrast .6 7, Sharpness .6 5
Color .7 7, TranslateX .5 8
Equalize .3, AutoContrast .4
TranslateY .4 3, Sharpness .2 6
Brightness .9 6, Color .2 8
Solarize .5 2, Invert 0
Equalize .2, AutoContrast .6
Equalize .2, Equalize .6
Color .9 9, Equalize .6
AutoContrast .8, Solarize .2 8
Brightness .1 3, Color .7 0
Solarize .4 5, AutoContrast .9
TranslateY .9 9, TranslateY .7 9
AutoContrast .9, Solarize .8 3
Equalize .8, Invert .1
TranslateY .7 9, AutoContrast .9""",
    AutoAugmentPolicy.SVHN: """
ShearX .9 4, Invert .2
ShearY .9 8, Invert .7
Equalize .6, Solarize .6 6
Invert .9, Equalize .6
Equalize .6, Rotate .9 3
ShearX .9 4, AutoContrast .8
ShearY .9 8, Invert .4
ShearY .9 5, Solarize .2 6
Invert .9, AutoContrast .8
Equalize .6, Rotate .9 3
ShearX .9 4, Solarize .3 3
ShearY .8 8, Invert .7
Equalize .9, TranslateY .6 6
Invert .9, Equalize .6
Contrast .3 3, Rotate .8 4
Invert .8, TranslateY 0 2
ShearY .7 6, Solarize .4 8
Invert .6, Rotate .8 4
ShearY .3 7, TranslateX .9 3
ShearX .1 6, Invert .6
Solarize .7 2, TranslateY .6 7
ShearY .8 4, Invert .8
ShearX .7 9, TranslateY .8 3
ShearY .8 5, AutoContrast .7
ShearX .7 2, Invert .1""",
}
_STEPS = 10


class AutoAugment(_Augment):
    """Applies one of 25 pairs of operations that were found to help on a data set.

    Args:
        policy (AutoAugmentPolicy): The data set. Default: ``AutoAugmentPolicy.IMAGENET``.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple[int]]): The grey or RGB value of new pixels. Default: ``0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not a uint8 RGB image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.AutoAugment()(np.zeros((8, 8, 3), np.uint8)).shape
        (8, 8, 3)
    """

    brightest = 256.0  # in MindSpore, of this operation alone

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: Inter = Inter.NEAREST,
        fill_value: object = 0,
    ) -> None:
        super().__init__(interpolation, fill_value)
        if not isinstance(policy, AutoAugmentPolicy):
            raise TypeError(f"vision.AutoAugment: policy must be an AutoAugmentPolicy, got {describe(policy)}.")
        self.policy = policy

    def _draw(self, image: object) -> list[tuple[str, float]]:
        rng, size = generator(), size_of(image)
        chains = chains_of(self.policy)
        chain = chains[int(rng.integers(len(chains)))]
        return [(name, self._strength(name, step, _STEPS, size)) for name, prob, step in chain if rng.random() < prob]


class UniformAugment(TensorOperation):
    """Applies some of the given operations, drawn with equal chances, each with an even chance.

    Args:
        transforms (list): The operations.
        num_ops (int): How many are drawn. Default: ``2``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If there are fewer operations than `num_ops`.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.UniformAugment([vision.Invert(), vision.Equalize()])(np.zeros((2, 2, 3), np.uint8)).shape
        (2, 2, 3)
    """

    def __init__(self, transforms: list[Any], num_ops: int = 2) -> None:
        self.transforms = check_operations("vision.UniformAugment", transforms)
        self.num_ops = checks.integer("vision.UniformAugment", "num_ops", num_ops, 1)
        if num_ops > len(self.transforms):
            raise ValueError(
                f"vision.UniformAugment: num_ops is {num_ops}, but there are {len(self.transforms)} transforms."
            )

    def __call__(self, *images: object) -> Any:
        rng = generator()
        chosen = rng.permutation(len(self.transforms))[: self.num_ops]
        return in_turn([self.transforms[k] for k in chosen if rng.random() < 0.5], images)


class RandomSelectSubpolicy(TensorOperation):
    """Applies one of several chains of operations, each operation with a probability of its own.

    Args:
        policy (list[list[tuple]]): Chains of (operation, probability).

    Raises:
        TypeError: If `policy` is something else.
        ValueError: If it is empty, or a probability out of range.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomSelectSubpolicy([[(vision.Invert(), 1.0)]])(np.array([[0]], np.uint8))
        array([[255]], dtype=uint8)
    """

    def __init__(self, policy: list[list[tuple[Any, float]]]) -> None:
        where = "vision.RandomSelectSubpolicy"
        if not isinstance(policy, list) or not all(isinstance(chain, (list, tuple)) for chain in policy):
            raise TypeError(f"{where}: policy must be a list of lists, got {describe(policy)}.")
        if not policy or not all(policy):
            raise ValueError(f"{where}: policy must hold chains of at least one operation, got {describe(policy)}.")
        for step in (step for chain in policy for step in chain):
            if not isinstance(step, tuple) or len(step) != 2 or not callable(step[0]):
                raise TypeError(f"{where}: a step must be (operation, probability), got {describe(step)}.")
            check_probability(where, step[1])
        self.policy = policy

    def __call__(self, *images: object) -> Any:
        rng = generator()
        chain = self.policy[int(rng.integers(len(self.policy)))]
        return in_turn([operation for operation, prob in chain if rng.random() < prob], images)
