"""Sound slower, faster, higher and lower: PhaseVocoder, TimeStretch, PitchShift."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, number
from sporax._src.data.audio.enums import WindowType, choice
from sporax._src.data.audio.inverse import ComplexSpectrumOperation, sound_of
from sporax._src.data.audio.spectrum import Spectrogram
from sporax._src.data.audio.waves import Resample


def _stretched(spectrum: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
    """Return complex spectra at a distance of `rate`; a frequency turns by `advance` from one to the next."""
    steps = np.arange(np.ceil(spectrum.shape[-1] / rate) + 1, dtype=np.float32) * np.float32(rate)
    steps = steps[steps < spectrum.shape[-1]]
    first, share = steps.astype(int), steps.astype(np.float64) % 1
    padded = np.concatenate([spectrum, np.zeros((*spectrum.shape[:-1], 2))], -1)
    here, there = padded[..., first], padded[..., first + 1]
    turns = np.angle(there) - np.angle(here) - advance
    turns = turns - 2 * np.pi * np.round(turns / (2 * np.pi)) + advance
    phases = np.cumsum(np.concatenate([np.angle(spectrum[..., :1]), turns[..., :-1]], -1), -1)
    return (share * np.abs(there) + (1 - share) * np.abs(here)) * np.exp(1j * phases)


class PhaseVocoder(ComplexSpectrumOperation):
    """Makes a complex spectrum ``(..., frequency, time, 2)`` shorter or longer, and keeps its pitch.

    Args:
        rate (float): The factor, > 0.
        phase_advance (numpy.ndarray): The phase change of each frequency from one time to the next, ``(frequency, 1)``,
            of the dtype of the input.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `rate` is out of range.
        RuntimeError: If the input is not a complex spectrum, or `phase_advance` has another length or dtype.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.PhaseVocoder(2, np.zeros((3, 1)))(np.ones((3, 4, 2))).shape
        (3, 2, 2)
    """

    def __init__(self, rate: float, phase_advance: np.ndarray) -> None:
        self.rate = number("audio.PhaseVocoder", "rate", rate, above=True)
        if not isinstance(phase_advance, np.ndarray):
            raise TypeError(f"audio.PhaseVocoder: phase_advance must be a NumPy array, got {describe(phase_advance)}.")
        self.phase_advance = phase_advance

    def _apply(self, array: np.ndarray) -> np.ndarray:
        advance = self.phase_advance
        if advance.shape != (array.shape[-3], 1) or advance.dtype != array.dtype:
            raise RuntimeError(
                f"audio.PhaseVocoder: phase_advance {describe(advance)} does not fit the spectrum {describe(array)}."
            )
        return self._at_rate(array, self.rate, advance)

    def _at_rate(self, array: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
        if rate == 1:
            return array.reshape(-1, *array.shape[-3:])
        exact = array.astype(np.float64)
        spectrum: Any = _stretched(exact[..., 0] + 1j * exact[..., 1], rate, advance.astype(np.float64))
        return np.stack([spectrum.real, spectrum.imag], -1).astype(array.dtype)


class TimeStretch(PhaseVocoder):
    """Makes a complex spectrum ``(..., frequency, time, 2)`` shorter or longer, and keeps its pitch.

    Args:
        hop_length (int, optional): How many samples are from one time to the next. Default: ``None``, `n_freq` - 1.
        n_freq (int): How many frequencies there are. Default: ``201``.
        fixed_rate (float, optional): By which factor, > 0. Default: ``None``, 1, which changes nothing.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is not positive.
        RuntimeError: If the input is not a complex spectrum.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.TimeStretch(2, 3, 2)(np.ones((3, 4, 2))).shape
        (3, 2, 2)
    """

    def __init__(self, hop_length: int | None = None, n_freq: int = 201, fixed_rate: float | None = None) -> None:
        where = "audio.TimeStretch"
        self.n_freq = checks.integer(where, "n_freq", n_freq, 1)
        self.hop_length = n_freq - 1 if hop_length is None else checks.integer(where, "hop_length", hop_length, 1)
        self.rate = 1 if fixed_rate is None else number(where, "fixed_rate", fixed_rate, above=True)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        advance = np.linspace(0, np.pi * self.hop_length, self.n_freq)[:, None]
        return self._at_rate(array, self.rate, np.resize(advance, (array.shape[-3], 1)))


class PitchShift(AudioTensorOperation):
    """Makes sound higher or lower, and keeps its length.

    Args:
        sample_rate (int): Samples a second.
        n_steps (int): The number of steps.
        bins_per_octave (int): How many steps an octave has, not 0. Default: ``12``.
        n_fft (int): As for `Spectrogram`, like `win_length` and `window`. Default: ``512``.
        hop_length (int, optional): The distance between the starts of frames. Default: ``None``, a quarter of `win_length`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not sound, or shorter than half a frame.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.PitchShift(16000, 4, n_fft=64)(np.zeros(100, np.float32)).shape
        (100,)
    """

    def __init__(
        self,
        sample_rate: int,
        n_steps: int,
        bins_per_octave: int = 12,
        n_fft: int = 512,
        win_length: int | None = None,
        hop_length: int | None = None,
        window: WindowType = WindowType.HANN,
    ) -> None:
        where, lowest = "audio.PitchShift", -checks.MAX_INT - 1
        self.sample_rate = checks.integer(where, "sample_rate", sample_rate, 0)
        self.n_steps = checks.integer(where, "n_steps", n_steps, lowest)
        self.bins_per_octave = checks.integer(where, "bins_per_octave", bins_per_octave, lowest)
        if bins_per_octave == 0:
            raise ValueError(f"{where}: bins_per_octave must not be 0.")
        self.n_fft = checks.integer(where, "n_fft", n_fft, 1)
        self.window = choice(where, "window", window, WindowType)
        self.win_length = n_fft if win_length is None else checks.integer(where, "win_length", win_length, 1, n_fft)
        hop = self.win_length // 4 if hop_length is None else checks.integer(where, "hop_length", hop_length, 1)
        self.hop_length = hop
        self.spectrogram = Spectrogram(n_fft, self.win_length, max(hop, 1), window=window)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        rate = 2.0 ** (-self.n_steps / self.bins_per_octave)
        spectrum = self.spectrogram.spectrum(array)
        if rate != 1:
            advance = np.linspace(0, np.pi * self.hop_length, spectrum.shape[-2])[:, None]
            spectrum = _stretched(spectrum, rate, advance)
        size = array.shape[-1]
        slow: Any = sound_of(
            spectrum, self.n_fft, self.win_length, self.hop_length, self.window, True, round(size / rate)
        )
        shifted = Resample(int(self.sample_rate / rate), self.sample_rate)._apply(slow)[..., :size]
        ends = [(0, 0)] * (shifted.ndim - 1) + [(0, size - shifted.shape[-1])]
        return np.pad(shifted, ends).astype(array.dtype)
