"""Mel scales: matrices that map frequencies to them, MelScale, MelSpectrogram."""

from __future__ import annotations

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, number
from sporax._src.data.audio.enums import BorderType, MelType, NormMode, NormType, WindowType, choice
from sporax._src.data.audio.spectrum import Spectrogram


def _to_mel(hertz: object, kind: MelType) -> np.ndarray:
    hertz = np.asarray(hertz, np.float64)
    if kind is MelType.HTK:
        return 2595.0 * np.log10(1.0 + hertz / 700.0)
    step, knee = 200.0 / 3, 1000.0
    above = knee / step + np.log(np.maximum(hertz, knee) / knee) / (np.log(6.4) / 27.0)
    return np.where(hertz >= knee, above, hertz / step)


def _to_hertz(mel: np.ndarray, kind: MelType) -> np.ndarray:
    if kind is MelType.HTK:
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    step, knee = 200.0 / 3, 1000.0
    return np.where(mel >= knee / step, knee * np.exp(np.log(6.4) / 27.0 * (mel - knee / step)), step * mel)


def _triangles(frequencies: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return triangles over `corners`, each from one to the next but one, at `frequencies`."""
    widths = np.diff(corners)
    slopes = corners[None, :] - frequencies[:, None]
    return np.maximum(np.minimum(-slopes[:, :-2] / widths[:-1], slopes[:, 2:] / widths[1:]), 0.0)


def melscale_fbanks(
    n_freqs: int,
    f_min: float,
    f_max: float,
    n_mels: int,
    sample_rate: int,
    norm: NormType = NormType.NONE,
    mel_type: MelType = MelType.HTK,
) -> np.ndarray:
    """Return the matrix, `n_freqs` × `n_mels`, that maps frequencies to a mel scale.

    Args:
        n_freqs (int): How many frequencies.
        f_min (float): The lowest, in Hz.
        f_max (float): The highest, in Hz.
        n_mels (int): How many mels.
        sample_rate (int): Samples a second.
        norm (NormType): Whether triangles have equal areas. Default: ``NormType.NONE``.
        mel_type (MelType): The formula of the mel scale. Default: ``MelType.HTK``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.

    Examples:
        >>> from sporax.dataset import audio
        >>> audio.melscale_fbanks(5, 0.0, 8000.0, 2, 16000).shape
        (5, 2)
    """
    where = "audio.melscale_fbanks"
    checks.integer(where, "n_freqs", n_freqs, 1)
    checks.integer(where, "n_mels", n_mels, 1)
    norm, mel_type = choice(where, "norm", norm, NormType), choice(where, "mel_type", mel_type, MelType)
    low, high = (
        _to_mel(number(where, "f_min", f_min), mel_type),
        _to_mel(number(where, "f_max", f_max, above=True), mel_type),
    )
    corners = _to_hertz(np.linspace(low, high, n_mels + 2), mel_type)
    bank = _triangles(np.linspace(0, sample_rate // 2, n_freqs), corners)
    if norm is NormType.SLANEY:
        bank = bank * (2.0 / (corners[2:] - corners[:-2]))
    return bank.astype(np.float32)


def linear_fbanks(n_freqs: int, f_min: float, f_max: float, n_filter: int, sample_rate: int) -> np.ndarray:
    """Return the matrix, `n_freqs` × `n_filter`, of triangles at equal distances (arguments as of `melscale_fbanks`).

    Examples:
        >>> from sporax.dataset import audio
        >>> audio.linear_fbanks(5, 0.0, 8000.0, 3, 16000).sum(0)
        array([1., 1., 1.], dtype=float32)
    """
    checks.integer("audio.linear_fbanks", "n_freqs", n_freqs, 1)
    checks.integer("audio.linear_fbanks", "n_filter", n_filter, 1)
    return _triangles(np.linspace(0, sample_rate // 2, n_freqs), np.linspace(f_min, f_max, n_filter + 2)).astype(
        np.float32
    )


def create_dct(n_mfcc: int, n_mels: int, norm: NormMode = NormMode.NONE) -> np.ndarray:
    """Return the matrix, `n_mels` × `n_mfcc`, of a cosine transform.

    Args:
        n_mfcc (int): How many coefficients.
        n_mels (int): How many values.
        norm (NormMode): Whether it is orthogonal. Default: ``NormMode.NONE``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is not positive.

    Examples:
        >>> from sporax.dataset import audio
        >>> audio.create_dct(1, 2, audio.NormMode.ORTHO).ravel().round(4)
        array([0.7071, 0.7071], dtype=float32)
    """
    checks.integer("audio.create_dct", "n_mfcc", n_mfcc, 1)
    checks.integer("audio.create_dct", "n_mels", n_mels, 1)
    waves = np.cos(np.pi / n_mels * (np.arange(n_mels)[:, None] + 0.5) * np.arange(n_mfcc))
    if choice("audio.create_dct", "norm", norm, NormMode) is NormMode.NONE:
        return (2.0 * waves).astype(np.float32)
    waves[:, 0] *= 1.0 / np.sqrt(2.0)
    return (waves * np.sqrt(2.0 / n_mels)).astype(np.float32)


class MelScale(AudioTensorOperation):
    """Maps the frequencies of a spectrogram to a mel scale.

    Args:
        n_mels (int): How many mels. Default: ``128``.
        sample_rate (int): Samples a second. Default: ``16000``.
        f_min (float): The lowest frequency, in Hz. Default: ``0.0``.
        f_max (float, optional): The highest. Default: ``None``, half of `sample_rate`.
        n_stft (int): How many frequencies the spectrogram has. Default: ``201``.
        norm (NormType): Whether triangles have equal areas. Default: ``NormType.NONE``.
        mel_type (MelType): The formula of the mel scale. Default: ``MelType.HTK``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input has another number of frequencies.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.MelScale(4, n_stft=9)(np.ones((9, 2), np.float32)).shape
        (4, 2)
    """

    rank = 2

    def __init__(
        self,
        n_mels: int = 128,
        sample_rate: int = 16000,
        f_min: float = 0.0,
        f_max: float | None = None,
        n_stft: int = 201,
        norm: NormType = NormType.NONE,
        mel_type: MelType = MelType.HTK,
    ) -> None:
        checks.integer("audio.MelScale", "sample_rate", sample_rate, 1)
        highest = sample_rate // 2 if f_max is None else f_max
        self.bank = melscale_fbanks(n_stft, f_min, highest, n_mels, sample_rate, norm, mel_type)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.shape[-2] != len(self.bank):
            raise RuntimeError(f"audio.MelScale: expected {len(self.bank)} frequencies, got {describe(array)}.")
        return (self.bank.T @ array).astype(array.dtype)


class MelSpectrogram(AudioTensorOperation):
    """Does what `Spectrogram` and then `MelScale` do.

    Args:
        sample_rate (int): Samples a second. Default: ``16000``.
        n_fft (int): As for `Spectrogram`, like `win_length`, `hop_length`, `pad`, `window`, `power`,
            `normalized`, `center`, `pad_mode` and `onesided`. Default: ``400``.
        f_min (float): As for `MelScale`, like `f_max`, `n_mels`, `norm` and `mel_scale` (there `mel_type`).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not sound, or shorter than a frame.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.MelSpectrogram(n_fft=16, n_mels=4)(np.zeros(32, np.float32)).shape
        (4, 5)
    """

    def __init__(
        self,
        sample_rate: int = 16000,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        f_min: float = 0.0,
        f_max: float | None = None,
        pad: int = 0,
        n_mels: int = 128,
        window: WindowType = WindowType.HANN,
        power: float = 2.0,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
        norm: NormType = NormType.NONE,
        mel_scale: MelType = MelType.HTK,
    ) -> None:
        number("audio.MelSpectrogram", "power", power, above=True)
        self.spectrogram = Spectrogram(
            n_fft, win_length, hop_length, pad, window, power, normalized, center, pad_mode, onesided
        )
        frequencies = n_fft // 2 + 1 if onesided else n_fft
        self.scale = MelScale(n_mels, sample_rate, f_min, f_max, frequencies, norm, mel_scale)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return self.scale._apply(self.spectrogram._apply(array))
