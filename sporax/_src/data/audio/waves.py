"""Sound at another rate, and spectrograms with parts masked: Resample, TimeMasking, FrequencyMasking."""

from __future__ import annotations

import math

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, number
from sporax._src.data.audio.enums import ResampleMethod, choice
from sporax._src.data.randomness import generator


class Resample(AudioTensorOperation):
    """Gives sound at another rate, by windowed sinc filters.

    Args:
        orig_freq (float): Samples a second, or a number in proportion. Default: ``16000``.
        new_freq (float): Samples a second of the result. Default: ``16000``.
        resample_method (ResampleMethod): The window of the sinc filter. Default: ``ResampleMethod.SINC_INTERPOLATION``.
        lowpass_filter_width (int): After how many zero crossings the filter ends. Default: ``6``.
        rolloff (float): The highest frequency kept, as a share of the highest possible one, of (0, 1]. Default: ``0.99``.
        beta (float, optional): The shape of the Kaiser window. Default: ``None``, 14.769656459379492.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not sound.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Resample(16000, 8000)(np.zeros(10, np.float32)).shape
        (5,)
    """

    def __init__(
        self,
        orig_freq: float = 16000,
        new_freq: float = 16000,
        resample_method: ResampleMethod = ResampleMethod.SINC_INTERPOLATION,
        lowpass_filter_width: int = 6,
        rolloff: float = 0.99,
        beta: float | None = None,
    ) -> None:
        where = "audio.Resample"
        self.orig_freq = number(where, "orig_freq", orig_freq, above=True)
        self.new_freq = number(where, "new_freq", new_freq, above=True)
        self.resample_method = choice(where, "resample_method", resample_method, ResampleMethod)
        self.lowpass_filter_width = checks.integer(where, "lowpass_filter_width", lowpass_filter_width, 1)
        self.rolloff = number(where, "rolloff", rolloff, above=True, high=1.0)
        self.beta = 14.769656459379492 if beta is None else number(where, "beta", beta, -(2.0**31))

    def _apply(self, array: np.ndarray) -> np.ndarray:
        common = math.gcd(int(self.orig_freq), int(self.new_freq)) or 1
        before, after = int(self.orig_freq) // common, int(self.new_freq) // common
        if before == after:
            return array
        kernel, width = self._kernel(before, after)
        length = array.shape[-1]
        flat = np.pad(array.reshape(-1, length).astype(np.float64), ((0, 0), (width, width + before)))
        stretches = np.lib.stride_tricks.sliding_window_view(flat, kernel.shape[1], 1)[:, ::before]
        resampled = (stretches @ kernel.T).reshape(len(flat), -1)[:, : math.ceil(length * after / before)]
        return resampled.reshape(*array.shape[:-1], -1).astype(array.dtype)

    def _kernel(self, before: int, after: int) -> tuple[np.ndarray, int]:
        """Return the weights of the filter, a row for each phase, and how far they reach."""
        base = min(before, after) * self.rolloff
        width = math.ceil(self.lowpass_filter_width * before / base)
        times = np.arange(-width, width + before) / before - np.arange(after)[:, None] / after
        zeros = np.clip(times * base, -self.lowpass_filter_width, self.lowpass_filter_width)
        share = zeros / self.lowpass_filter_width
        if self.resample_method is ResampleMethod.KAISER_WINDOW:
            fading = np.i0(self.beta * np.sqrt(1 - share**2)) / np.i0(self.beta)
        else:
            fading = np.cos(share * np.pi / 2) ** 2
        return np.sinc(zeros) * fading * base / before, width


class _Masking(AudioTensorOperation):
    """Fills a range of one axis of a spectrogram."""

    rank = 2
    axis = -1
    name = ""

    def _take(self, iid_masks: bool, mask_param: int, mask_start: int, mask_value: float) -> None:
        where = f"audio.{type(self).__name__}"
        checks.boolean(where, "iid_masks", iid_masks)
        self.iid_masks = iid_masks
        self.mask_param = checks.integer(where, self.name, mask_param, 0)
        self.mask_start = checks.integer(where, "mask_start", mask_start, 0)
        self.mask_value = number(where, "mask_value", mask_value)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        array = array.copy()
        size = array.shape[self.axis]
        if self.mask_param > size or (not self.iid_masks and self.mask_start + self.mask_param > size):
            raise RuntimeError(
                f"audio.{type(self).__name__}: {self.name}={self.mask_param} from {self.mask_start} leaves {describe(array)}."
            )
        lines = np.moveaxis(array, self.axis, -1)
        if not self.iid_masks:
            lines[..., self.mask_start : self.mask_start + self.mask_param] = self.mask_value
            return array
        rng = generator()
        for plane in np.moveaxis(array.reshape(-1, *array.shape[-2:]), self.axis, -1):
            width = int(rng.random() * self.mask_param)
            start = int(rng.random() * (size - width))
            plane[..., start : start + width] = self.mask_value
        return array


class TimeMasking(_Masking):
    """Fills a range of time of a spectrogram.

    Args:
        iid_masks (bool): Whether it is drawn for each spectrogram. Default: ``False``.
        time_mask_param (int): Its length; drawn, its greatest length. Default: ``0``.
        mask_start (int): Where it begins, if it is not drawn. Default: ``0``.
        mask_value (float): The fill value. Default: ``0.0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is negative.
        RuntimeError: If the input has fewer than two axes, or the range leaves it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.TimeMasking(False, 1, 2)(np.ones((1, 4), np.float32))
        array([[1., 1., 0., 1.]], dtype=float32)
    """

    name = "time_mask_param"

    def __init__(
        self, iid_masks: bool = False, time_mask_param: int = 0, mask_start: int = 0, mask_value: float = 0.0
    ) -> None:
        self._take(iid_masks, time_mask_param, mask_start, mask_value)


class FrequencyMasking(_Masking):
    """Fills a range of frequencies of a spectrogram.

    Args:
        iid_masks (bool): Whether it is drawn for each spectrogram. Default: ``False``.
        freq_mask_param (int): Its length; drawn, its greatest length. Default: ``0``.
        mask_start (int): Where it begins, if it is not drawn. Default: ``0``.
        mask_value (float): The fill value. Default: ``0.0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is negative.
        RuntimeError: If the input has fewer than two axes, or the range leaves it.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.FrequencyMasking(False, 1)(np.ones((2, 2), np.float32))
        array([[0., 0.],
               [1., 1.]], dtype=float32)
    """

    axis = -2
    name = "freq_mask_param"

    def __init__(
        self, iid_masks: bool = False, freq_mask_param: int = 0, mask_start: int = 0, mask_value: float = 0.0
    ) -> None:
        self._take(iid_masks, freq_mask_param, mask_start, mask_value)
