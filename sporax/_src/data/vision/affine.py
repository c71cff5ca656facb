"""Image operations that turn, stretch and slant: Affine, Rotate, Perspective, and their random forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.randomness import generator
from sporax._src.data.transforms.choices import check_probability
from sporax._src.data.vision import arguments, opencv, warp
from sporax._src.data.vision.enums import Inter
from sporax._src.data.vision.image import ImageOperation, size_of

__all__ = ["Affine", "Perspective", "RandomAffine", "RandomPerspective", "Rotate"]


def _number(where: str, name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{where}: {name} must be a number, got {describe(value)}.")
    return float(value)


def _pair(where: str, name: str, value: object) -> tuple[float, float]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise TypeError(f"{where}: {name} must be two numbers, got {describe(value)}.")
    return _number(where, name, value[0]), _number(where, name, value[1])


def affine_matrix(
    size: tuple[int, int], degrees: float, shift: tuple[float, float], scale: float, shear: tuple[float, float]
) -> np.ndarray:
    """Return the map that slants, turns clockwise, scales around the middle of (height, width), and shifts by pixels."""
    # MindSpore computes in float32.
    angle, slant_x, slant_y = (
        np.float32(math.radians(float(np.float32(part)))) for part in (degrees, shear[0], -shear[1])
    )
    cos, sin, tan = (_in_float32(function) for function in (math.cos, math.sin, math.tan))
    factor, turned, upright = np.float32(scale), angle + slant_y, cos(slant_y)
    a, b = factor * cos(turned) / upright, factor * (-cos(turned) * tan(slant_x) / upright - sin(angle))
    c, d = factor * sin(turned) / upright, factor * (-sin(turned) * tan(slant_x) / upright + cos(angle))
    x, y, one = np.float32((size[1] - 1) / 2), np.float32((size[0] - 1) / 2), np.float32(1)
    right, down = map(np.float32, shift)
    return np.array([[a, b, (one - a) * x - b * y + right], [c, d, (one - d) * y - c * x + down]], np.float64)


def _in_float32(function: Callable[[float], float]) -> Callable[[np.float32], np.float32]:
    return lambda x: np.float32(function(float(x)))


class Affine(ImageOperation):
    """Slants, turns, scales and shifts an image; what stays in its frame is kept.

    Args:
        degrees (float): The angle, clockwise.
        translate (sequence): The shift to the right and down, in shares of the width and height within [-1, 1].
        scale (float): The factor, > 0.
        shear (Union[float, sequence]): The slant along x, or along x and y, in degrees.
        resample (Inter): The interpolation between pixels. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple[int]]): The grey or RGB value of new pixels. Default: ``0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Affine(0, (0.5, 0), 1.0, 0)(np.array([[1, 2]], np.uint8))
        array([[0, 1]], dtype=uint8)
    """

    keeps_pil = False

    def __init__(
        self,
        degrees: float,
        translate: object,
        scale: float,
        shear: object,
        resample: Inter = Inter.NEAREST,
        fill_value: object = 0,
    ) -> None:
        where = "vision.Affine"
        self.degrees = _number(where, "degrees", degrees)
        self.translate = _pair(where, "translate", translate)
        if max(map(abs, self.translate)) > 1:
            raise ValueError(f"{where}: translate must be within [-1, 1], got {describe(translate)}.")
        self.scale = _number(where, "scale", scale)
        if self.scale <= 0:
            raise ValueError(f"{where}: scale must be positive, got {scale}.")
        self.shear = (float(shear), 0.0) if isinstance(shear, (int, float)) else _pair(where, "shear", shear)
        self.resample = arguments.choice(where, "resample", resample, Inter)
        self.fill_value = arguments.colour(where, fill_value)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        height, width = size_of(image)
        shift = self.translate[0] * width, self.translate[1] * height
        m = affine_matrix((height, width), self.degrees, shift, self.scale, self.shear)
        return opencv.affine(image, m, (height, width), self.resample, self.fill_value)


class RandomAffine(ImageOperation):
    """Slants, turns, scales and shifts an image at random.

    Args:
        degrees (Union[float, sequence]): (least, most) angle; one number d means (-d, d).
        translate (sequence, optional): (least, most) shift to the right in shares of the width within [-1, 1], and
            with four numbers down too. Default: ``None``, none.
        scale (sequence, optional): (least, most) factor. Default: ``None``, 1.
        shear (Union[float, sequence], optional): (least, most) slant along x in degrees, and with four numbers along
            y; one number s means (-s, s). Default: ``None``, none.
        resample (Inter): The interpolation between pixels. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple[int]]): The grey or RGB value of new pixels. Default: ``0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.RandomAffine(0, translate=(0.5, 0.5))(np.array([[1, 2]], np.uint8))
        array([[0, 1]], dtype=uint8)
    """

    def __init__(
        self,
        degrees: object,
        translate: object = None,
        scale: object = None,
        shear: object = None,
        resample: Inter = Inter.NEAREST,
        fill_value: object = 0,
    ) -> None:
        where = "vision.RandomAffine"
        if isinstance(degrees, (int, float)) and degrees < 0:
            raise ValueError(f"{where}: degrees must not be negative if it is one number, got {degrees}.")
        pair = (-degrees, degrees) if isinstance(degrees, (int, float)) else degrees
        self.degrees = arguments.interval(where, "degrees", pair)
        self.translate = _two_intervals(where, "translate", translate)
        if any(not -1 <= end <= 1 for pair in self.translate for end in pair):
            raise ValueError(f"{where}: translate must be within [-1, 1], got {describe(translate)}.")
        self.scale = (1.0, 1.0) if scale is None else arguments.interval(where, "scale", scale, 0.0)
        if self.scale[1] == 0:
            raise ValueError(f"{where}: scale must have a positive end, got {describe(scale)}.")
        slant = (-shear, shear) if isinstance(shear, (int, float)) else shear
        self.shear = _two_intervals(where, "shear", slant)
        self.resample = arguments.choice(where, "resample", resample, Inter)
        self.fill_value = arguments.colour(where, fill_value)

    def _draw(self, image: object) -> np.ndarray:
        height, width = size_of(image)
        rng = generator()
        low, high = np.array([self.degrees, *self.translate, self.scale, *self.shear]).T
        angle, right, down, scale, *shear = rng.uniform(low, high).tolist()
        shift = right * width, down * height
        return affine_matrix((height, width), angle, shift, scale, (shear[0], shear[1]))

    def _array(self, image: np.ndarray, draw: np.ndarray) -> np.ndarray:
        return opencv.affine(image, draw, size_of(image), self.resample, self.fill_value)


def _two_intervals(where: str, name: str, value: object) -> tuple[tuple[float, float], tuple[float, float]]:
    if value is None:
        return (0.0, 0.0), (0.0, 0.0)
    if not isinstance(value, (list, tuple)) or len(value) not in (2, 4):
        raise TypeError(f"{where}: {name} must be two or four numbers, got {describe(value)}.")
    second = value[2:] if len(value) == 4 else (0.0, 0.0)
    return arguments.interval(where, name, value[:2]), arguments.interval(where, name, second)


class Rotate(ImageOperation):
    """Turns an image counter-clockwise.

    Args:
        degrees (float): The angle.
        resample (Inter): The interpolation between pixels. Default: ``Inter.NEAREST``.
        expand (bool): Whether the result grows to hold the whole image. Default: ``False``.
        center (tuple, optional): (x, y) of the centre. Default: ``None``, the middle.
        fill_value (Union[int, tuple[int]]): The grey or RGB value of new pixels. Default: ``0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Rotate(90)(np.array([[1, 2], [3, 4]], np.uint8))
        array([[2, 4],
               [1, 3]], dtype=uint8)
    """

    keeps_pil = False

    def __init__(
        self,
        degrees: float,
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: object = None,
        fill_value: object = 0,
    ) -> None:
        self.degrees = _number("vision.Rotate", "degrees", degrees)
        self.resample = arguments.choice("vision.Rotate", "resample", resample, Inter)
        checks.boolean("vision.Rotate", "expand", expand)
        self.expand = expand
        self.takes_batches = not expand
        self.center = None if center is None else _pair("vision.Rotate", "center", center)
        self.fill_value = arguments.colour("vision.Rotate", fill_value)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return rotated(image, self.degrees, self.resample, self.expand, self.center, self.fill_value)


def rotated(
    image: np.ndarray,
    degrees: float,
    resample: Inter,
    expand: bool,
    center: tuple[float, float] | None,
    fill_value: tuple[int, ...],
) -> np.ndarray:
    """Return an array turned counter-clockwise; the arguments are those of `Rotate`."""
    height, width = size = size_of(image)
    middle = center or ((width - 1) / 2, (height - 1) / 2)
    m = warp.rotation(middle, degrees)
    if expand:
        high, wide = warp.turned_size(size, middle, degrees)
        size = round(high), round(wide)
        m[:, 2] += [wide / 2 - width / 2, high / 2 - height / 2]
    return opencv.affine(image, m, size, resample, fill_value[::-1])  # as MindSpore: blue first


def _corners(where: str, name: str, value: object) -> np.ndarray:
    points = np.asarray(value)
    if points.shape != (4, 2) or points.dtype.kind not in "iuf":
        raise TypeError(f"{where}: {name} must be four points (x, y), got {describe(value)}.")
    return points.astype(np.float64)


class Perspective(ImageOperation):
    """Moves four points of an image to four others.

    Args:
        start_points (sequence): Four points (x, y): top left, top right, bottom right, bottom left.
        end_points (sequence): Their new positions.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.BILINEAR``.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If the input is not an image.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> corners, moved = [(0, 0), (1, 0), (1, 1), (0, 1)], [(1, 0), (2, 0), (2, 1), (1, 1)]
        >>> vision.Perspective(corners, moved)(np.array([[1, 2], [3, 4]], np.uint8))
        array([[0, 1],
               [0, 3]], dtype=uint8)
    """

    def __init__(self, start_points: object, end_points: object, interpolation: Inter = Inter.BILINEAR) -> None:
        self.start_points = _corners("vision.Perspective", "start_points", start_points)
        self.end_points = _corners("vision.Perspective", "end_points", end_points)
        self.interpolation = arguments.choice("vision.Perspective", "interpolation", interpolation, Inter)

    def _array(self, image: np.ndarray, draw: object) -> np.ndarray:
        return opencv.perspective(image, self.start_points, self.end_points, size_of(image), self.interpolation, (0,))

    def _pil(self, image: object, draw: object) -> Any:
        return _pil_perspective(image, self.start_points, self.end_points, self.interpolation)


def _pil_perspective(image: Any, start: np.ndarray, end: np.ndarray, interpolation: Inter) -> Any:
    from PIL import Image

    kinds = {Inter.NEAREST: Image.Resampling.NEAREST, Inter.BILINEAR: Image.Resampling.BILINEAR}
    back = np.linalg.lstsq(*warp.perspective_equations(end, start))[0].tolist()
    kind = kinds.get(interpolation, Image.Resampling.BICUBIC)
    return image.transform(image.size, Image.Transform.PERSPECTIVE, back, kind)


class RandomPerspective(ImageOperation):
    """Moves the corners of a Pillow image inwards at random, with probability `prob`.

    Args:
        distortion_scale (float): The largest shift, as a fraction of half the sides, in [0, 1]. Default: ``0.5``.
        prob (float): The probability. Default: ``0.5``.
        interpolation (Inter): The interpolation between pixels. Default: ``Inter.BICUBIC``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range, or the input is not a Pillow image.

    Examples:
        >>> from PIL import Image
        >>> from sporax.dataset import vision
        >>> vision.RandomPerspective(0.5, 1.0)(Image.new("RGB", (4, 2))).size
        (4, 2)
    """

    in_python = True
    pil_only = ValueError

    def __init__(self, distortion_scale: float = 0.5, prob: float = 0.5, interpolation: Inter = Inter.BICUBIC) -> None:
        self.distortion_scale = _number("vision.RandomPerspective", "distortion_scale", distortion_scale)
        if not 0 <= self.distortion_scale <= 1:
            raise ValueError(f"vision.RandomPerspective: distortion_scale must be in [0, 1], got {distortion_scale}.")
        self.prob = check_probability("vision.RandomPerspective", prob)
        self.interpolation = arguments.choice("vision.RandomPerspective", "interpolation", interpolation, Inter)

    def _draw(self, image: object) -> tuple[np.ndarray, np.ndarray] | None:
        rng = generator()
        if rng.random() >= self.prob:
            return None
        height, width = size_of(image)
        start = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], np.float64)
        reach = np.array([width // 2, height // 2]) * self.distortion_scale
        inwards = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        return start, start + inwards * np.floor(rng.random((4, 2)) * (reach + 1))

    def _pil(self, image: object, draw: Any) -> Any:
        return image if draw is None else _pil_perspective(image, draw[0], draw[1], self.interpolation)
