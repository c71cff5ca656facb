"""Image operations on values and layout: they take many images at once where rows are gathered."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.transforms.base import TensorOperation
from sporax._src.data.vision import opencv
from sporax._src.data.vision.image import VisionOperation

__all__ = ["HWC2CHW", "Normalize", "NormalizePad", "Rescale"]


def numbers(where: str, name: str, values: object, *, positive: bool = False) -> np.ndarray:
    """Return a sequence of numbers as float32.

    Raises:
        TypeError: If it is something else.
        ValueError: If it is empty, or a number is not positive where it must be.
    """
    if not isinstance(values, (list, tuple, np.ndarray)):
        raise TypeError(f"{where}: {name} must be a list or tuple of numbers, got {describe(values)}.")
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise TypeError(f"{where}: {name} must be a list or tuple of numbers, got {describe(values)}.")
    if not array.size or (positive and (array <= 0).any()):
        raise ValueError(f"{where}: {name} must hold {'positive ' if positive else ''}numbers, got {describe(values)}.")
    return array.astype(np.float32)


class Rescale(TensorOperation):
    """Returns ``image * rescale + shift`` as float32.

    Args:
        rescale (float): The factor.
        shift (float): The summand.

    Raises:
        TypeError: If an argument is not a number.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Rescale(2.0, 1.0)(np.array([[1, 2]], np.uint8))
        array([[3., 5.]], dtype=float32)
    """

    by_element = True

    def __init__(self, rescale: float, shift: float) -> None:
        for name, value in (("rescale", rescale), ("shift", shift)):
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
                raise TypeError(f"vision.Rescale: {name} must be a number, got {describe(value)}.")
        self.rescale, self.shift = np.float32(rescale), np.float32(shift)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        lines = array.reshape(array.shape[0] if array.ndim else 1, math.prod(array.shape[1:]))
        return opencv.rescaled(lines, self.rescale, self.shift).reshape(array.shape)

    def on_batch(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked images."""
        return self._apply(rows)


class HWC2CHW(TensorOperation):
    """Moves the channels to the front: ``(H, W, C)`` to ``(C, H, W)``.

    Raises:
        RuntimeError: If the input is not of rank 2 or 3.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.HWC2CHW()(np.zeros((2, 4, 3))).shape
        (3, 2, 4)
    """

    by_element = True

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return opencv.channels_first(array) if array.ndim == 3 else self.on_batch(array[None])[0]

    def on_batch(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked images."""
        if rows.ndim not in (3, 4):
            raise RuntimeError(f"vision.HWC2CHW: expected (H, W) or (H, W, C), got {describe(rows[0])}.")
        return rows if rows.ndim == 3 else np.ascontiguousarray(rows.transpose(0, 3, 1, 2))


class Normalize(VisionOperation):
    r"""Returns :math:`(x_c - mean_c) / std_c` for each channel c, as float32.

    Args:
        mean (sequence): One mean per channel.
        std (sequence): One positive standard deviation per channel.
        is_hwc (bool): Whether channels come last, else first. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the two differ in length or `std` is not positive.
        RuntimeError: If the image has another number of channels.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.Normalize([1.0], [2.0])(np.array([[[3.0]], [[5.0]]], np.float32)).ravel()
        array([1., 2.], dtype=float32)
    """

    takes_batches = True  # (..., H, W, C) or (..., C, H, W)
    by_element = True

    def __init__(self, mean: Sequence[float], std: Sequence[float], is_hwc: bool = True) -> None:
        where = f"vision.{type(self).__name__}"
        self.mean, self.std = numbers(where, "mean", mean), numbers(where, "std", std, positive=True)
        if len(self.mean) != len(self.std):
            raise ValueError(f"{where}: mean and std must have one length, got {len(self.mean)} and {len(self.std)}.")
        checks.boolean(where, "is_hwc", is_hwc)
        self.is_hwc = is_hwc

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return self._normalized(array, 0)

    def on_batch(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked images."""
        return self._normalized(rows, 1)

    def _normalized(self, array: np.ndarray, leading: int) -> np.ndarray:
        rank = min(array.ndim - leading, 3) if self.takes_batches else array.ndim - leading
        axis = array.ndim - 1 if self.is_hwc else array.ndim - rank
        channels = 1 if rank == 2 else array.shape[axis] if rank == 3 else -1
        if channels != len(self.mean) and not (len(self.mean) == 1 and channels > 0):
            raise RuntimeError(
                f"vision.{type(self).__name__}: expected an image with {len(self.mean)} channels "
                f"{'last' if self.is_hwc else 'first'}, got shape {list(array.shape[leading:])}."
            )
        values = array.astype(np.float32, order="C")
        if rank == 3 and self.is_hwc and values.size:
            # As lines of pixels, so that the inner loop runs over a line and not over three channels.
            repeats = array.shape[-2] * channels // len(self.mean)
            lines = values.reshape(-1, array.shape[-2] * channels)
            lines -= np.tile(self.mean, repeats)
            lines /= np.tile(self.std, repeats)
            return values
        shape = (-1,) if self.is_hwc or rank == 2 else (-1, 1, 1)
        values -= self.mean.reshape(shape)
        values /= self.std.reshape(shape)
        return values


class NormalizePad(Normalize):
    """Normalizes as `Normalize` and adds a channel.

    As in MindSpore, the values follow one another without a gap, and the zeros of the channel are the last numbers of
    the image. So they are in a channel of their own only where channels come first.

    Args:
        mean (sequence): One mean per channel.
        std (sequence): One positive standard deviation per channel.
        dtype (str): ``'float32'`` or ``'float16'``. Default: ``'float32'``.
        is_hwc (bool): Whether channels come last, else first. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `dtype` is another one, the two differ in length, or `std` is not positive.
        RuntimeError: If the image has another number of channels.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import vision
        >>> vision.NormalizePad([0.0] * 3, [1.0] * 3)(np.zeros((2, 2, 3), np.uint8)).shape
        (2, 2, 4)
    """

    takes_batches = False

    def __init__(
        self, mean: Sequence[float], std: Sequence[float], dtype: str = "float32", is_hwc: bool = True
    ) -> None:
        super().__init__(mean, std, is_hwc)
        if not isinstance(dtype, str):
            raise TypeError(f"vision.NormalizePad: dtype must be a str, got {describe(dtype)}.")
        if dtype not in ("float32", "float16"):
            raise ValueError(f"vision.NormalizePad: dtype must be 'float32' or 'float16', got {dtype!r}.")
        self.dtype = np.dtype(dtype)

    def _normalized(self, array: np.ndarray, leading: int) -> np.ndarray:
        values = super()._normalized(array, leading)
        if self.dtype == np.float16:
            values = opencv.halved(values.reshape(len(values), -1)).reshape(values.shape)
        rows, axis = values.shape[:leading], values.ndim - 1 if self.is_hwc else leading
        shape = (*values.shape[:axis], values.shape[axis] + 1, *values.shape[axis + 1 :])
        padded = np.zeros(shape, self.dtype)
        padded.reshape(*rows, -1)[..., : values[(0,) * leading].size] = values.reshape(*rows, -1)
        return padded

    def on_batch(self, rows: np.ndarray) -> np.ndarray:
        """Apply to stacked images."""
        return self._normalized(rows, 1)
