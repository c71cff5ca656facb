"""Spectra of sound: Spectrogram, SpectralCentroid, decibels, and the magnitudes and angles of complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, number
from sporax._src.data.audio.enums import BorderType, ScaleType, WindowType, choice


def window_of(kind: WindowType, size: int) -> np.ndarray:
    """Return the periodic window function of `size` samples."""
    if size == 1:
        return np.ones(1)
    makers = {
        WindowType.BARTLETT: np.bartlett, WindowType.BLACKMAN: np.blackman, WindowType.HAMMING: np.hamming,
        WindowType.HANN: np.hanning, WindowType.KAISER: lambda n: np.kaiser(n, 12.0),
    }  # fmt: skip
    return makers[kind](size + 1)[:-1]


class Spectrogram(AudioTensorOperation):
    """Gives the powers of the frequencies of frames of sound: ``(..., frequency, frame)``.

    Args:
        n_fft (int): The samples of a frame. Default: ``400``.
        win_length (int, optional): How many of them have a weight. Default: ``None``, all.
        hop_length (int, optional): The distance between the starts of frames. Default: ``None``, half of `win_length`.
        pad (int): How many zeros to put at both ends. Default: ``0``.
        window (WindowType): The weights. Default: ``WindowType.HANN``.
        power (float): The exponent of the magnitudes; 0 gives complex numbers, as a last axis of two. Default: ``2.0``.
        normalized (bool): Whether to divide by the root of the sum of the squared weights. Default: ``False``.
        center (bool): Whether frames are around, not behind, their position. Default: ``True``.
        pad_mode (BorderType): The padding at the ends. Default: ``BorderType.REFLECT``.
        onesided (bool): Whether to leave out the frequencies that mirror others. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not sound, or shorter than a frame.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Spectrogram(n_fft=8)(np.zeros(16, np.float32)).shape
        (5, 5)
    """

    def __init__(
        self,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        pad: int = 0,
        window: WindowType = WindowType.HANN,
        power: float = 2.0,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
    ) -> None:
        where = f"audio.{type(self).__name__}"
        self.n_fft = checks.integer(where, "n_fft", n_fft, 1)
        self.win_length = n_fft if win_length is None else checks.integer(where, "win_length", win_length, 1)
        if self.win_length > n_fft:
            raise ValueError(f"{where}: win_length must be at most n_fft={n_fft}, got {win_length}.")
        hop = max(self.win_length // 2, 1)
        self.hop_length = hop if hop_length is None else checks.integer(where, "hop_length", hop_length, 1)
        self.pad = checks.integer(where, "pad", pad, 0)
        self.window = choice(where, "window", window, WindowType)
        self.power = number(where, "power", power)
        for name, flag in (("normalized", normalized), ("center", center), ("onesided", onesided)):
            checks.boolean(where, name, flag)
        self.normalized, self.center, self.onesided = normalized, center, onesided
        self.pad_mode = choice(where, "pad_mode", pad_mode, BorderType)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        spectrum: Any = self.spectrum(array)
        if self.power == 0:
            return np.stack([spectrum.real, spectrum.imag], -1).astype(array.dtype)
        return (np.abs(spectrum) ** self.power).astype(array.dtype)

    def spectrum(self, array: np.ndarray) -> np.ndarray:
        """Return the complex spectrum of sound."""
        sound = array.astype(np.float64)
        ends = [(0, 0)] * (sound.ndim - 1)
        sound = np.pad(sound, [*ends, (self.pad, self.pad)])
        half = self.n_fft // 2 if self.center else 0
        if sound.shape[-1] + 2 * half < self.n_fft or (
            half and self.pad_mode is BorderType.REFLECT and sound.shape[-1] <= half
        ):
            raise RuntimeError(
                f"audio.{type(self).__name__}: {describe(array)} is shorter than a frame of {self.n_fft}."
            )
        if half:
            sound = np.pad(sound, [*ends, (half, half)], mode=self.pad_mode.value)
        weights = window_of(self.window, self.win_length)
        left = (self.n_fft - self.win_length) // 2
        framed = np.pad(weights, (left, self.n_fft - self.win_length - left))
        stretches = np.lib.stride_tricks.sliding_window_view(sound, self.n_fft, -1)[..., :: self.hop_length, :] * framed
        spectra = np.fft.rfft(stretches) if self.onesided else np.fft.fft(stretches)
        if self.normalized:
            spectra = spectra / np.sqrt((weights**2).sum())
        return np.swapaxes(spectra, -1, -2)


class SpectralCentroid(AudioTensorOperation):
    """Gives the mean frequency, in Hz, of frames of sound: ``(..., 1, frame)``.

    Args:
        sample_rate (int): Samples a second.
        n_fft (int): As for `Spectrogram`, like `win_length`, `hop_length`, `pad` and `window`. Default: ``400``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not sound, or shorter than a frame.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.SpectralCentroid(8, 4)(np.cos(np.pi * np.arange(8))).round(1).ravel()[1:3]
        array([3.3, 3.3])
    """

    def __init__(
        self,
        sample_rate: int,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        pad: int = 0,
        window: WindowType = WindowType.HANN,
    ) -> None:
        self.sample_rate = checks.integer("audio.SpectralCentroid", "sample_rate", sample_rate, 1)
        self.spectrogram = Spectrogram(n_fft, win_length, hop_length, pad, window, 1.0)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        magnitude = np.abs(self.spectrogram.spectrum(array))
        hertz = np.linspace(0, self.sample_rate // 2, magnitude.shape[-2])[:, None]
        total = magnitude.sum(-2, keepdims=True)
        return ((hertz * magnitude).sum(-2, keepdims=True) / np.where(total == 0, np.nan, total)).astype(array.dtype)


class AmplitudeToDB(AudioTensorOperation):
    """Gives decibels.

    Args:
        stype (ScaleType): Whether values are powers or magnitudes. Default: ``ScaleType.POWER``.
        ref_value (float): What 0 dB is, > 0. Default: ``1.0``.
        amin (float): The least value, > 0. Default: ``1e-10``.
        top_db (float): How far below the loudest of a spectrogram the rest may be. Default: ``80.0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input has fewer than two axes.

    Examples:
        >>> from sporax.dataset import audio
        >>> audio.AmplitudeToDB()([[1.0, 100.0]]).round(3)
        array([[ 0., 20.]], dtype=float32)
    """

    rank = 2

    def __init__(
        self, stype: ScaleType = ScaleType.POWER, ref_value: float = 1.0, amin: float = 1e-10, top_db: float = 80.0
    ) -> None:
        where = "audio.AmplitudeToDB"
        self.stype = choice(where, "stype", stype, ScaleType)
        self.ref_value, self.amin = (
            number(where, name, value, above=True) for name, value in (("ref_value", ref_value), ("amin", amin))
        )
        self.top_db = number(where, "top_db", top_db)

    def _floats(self, value: object) -> np.ndarray:
        return super()._floats(value).astype(np.float32, copy=False)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        factor = 10.0 if self.stype is ScaleType.POWER else 20.0
        decibels = factor * (np.log10(np.maximum(array, self.amin)) - np.log10(max(self.amin, self.ref_value)))
        axes = tuple(range(decibels.ndim))[-3:]
        return np.maximum(decibels, decibels.max(axes, keepdims=True) - self.top_db).astype(array.dtype)


class _OfComplex(AudioTensorOperation):
    """An operation on complex numbers, given as a last axis of two."""

    def _floats(self, value: object) -> np.ndarray:
        array = super()._floats(value)
        if array.shape[-1] != 2:
            raise RuntimeError(
                f"audio.{type(self).__name__}: expected complex numbers, with a last axis of 2, got {describe(array)}."
            )
        return array


class ComplexNorm(_OfComplex):
    """Gives the magnitudes of complex numbers, to a power.

    Args:
        power (float): The power. Default: ``1.0``.

    Raises:
        TypeError: If `power` is not a number.
        ValueError: If `power` is negative.
        RuntimeError: If the last axis of the input has not length 2.

    Examples:
        >>> from sporax.dataset import audio
        >>> audio.ComplexNorm()([[3.0, 4.0]])
        array([5.])
    """

    def __init__(self, power: float = 1.0) -> None:
        self.power = number("audio.ComplexNorm", "power", power)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return np.hypot(array[..., 0], array[..., 1]) ** array.dtype.type(self.power)


class Angle(_OfComplex):
    """Gives the angles of complex numbers.

    Raises:
        RuntimeError: If the last axis of the input has not length 2.

    Examples:
        >>> from sporax.dataset import audio
        >>> audio.Angle()([[0.0, 1.0]]).round(4)
        array([1.5708])
    """

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return np.arctan2(array[..., 1], array[..., 0])


class Magphase(_OfComplex):
    """Gives the magnitudes, to a power, and the angles of complex numbers.

    Args:
        power (float): The power. Default: ``1.0``.

    Raises:
        TypeError: If `power` is not a number.
        ValueError: If `power` is negative.
        RuntimeError: If the last axis of the input has not length 2.

    Examples:
        >>> from sporax.dataset import audio
        >>> [part.round(4).tolist() for part in audio.Magphase()([[0.0, 2.0]])]
        [[2.0], [1.5708]]
    """

    def __init__(self, power: float = 1.0) -> None:
        self.norm, self.angle = ComplexNorm(power), Angle()

    def _apply(self, array: np.ndarray) -> Any:
        return self.norm._apply(array), self.angle._apply(array)
