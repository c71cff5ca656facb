"""From spectra back to sound: InverseSpectrogram, GriffinLim, InverseMelScale."""

from __future__ import annotations

import math

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, number
from sporax._src.data.audio.enums import BorderType, MelType, NormType, WindowType, choice
from sporax._src.data.audio.mel import MelScale
from sporax._src.data.audio.spectrum import Spectrogram, window_of
from sporax._src.data.randomness import generator


def _framed(window: WindowType, win_length: int, n_fft: int) -> np.ndarray:
    left = (n_fft - win_length) // 2
    return np.pad(window_of(window, win_length), (left, n_fft - win_length - left))


def sound_of(
    spectrum: np.ndarray, n_fft: int, win_length: int, hop_length: int, window: WindowType, center: bool, length: int
) -> np.ndarray:
    """Return the sound of `length` samples of a complex spectrum; a length of 0 is that of the spectrum."""
    if spectrum.shape[-2] != n_fft // 2 + 1 or n_fft % 2:
        raise RuntimeError(f"audio: expected {n_fft // 2 + 1} frequencies for n_fft={n_fft}, got {spectrum.shape[-2]}.")
    frames = spectrum.shape[-1]
    if length:
        frames = min(frames, math.ceil((length + n_fft * center) / hop_length))
    weights = _framed(window, win_length, n_fft)
    pieces = np.fft.irfft(np.swapaxes(spectrum[..., :frames], -1, -2), n_fft) * weights
    size = n_fft + hop_length * (frames - 1)
    sound, total = np.zeros((*spectrum.shape[:-2], size)), np.zeros(size)
    for i in range(frames):
        there = slice(i * hop_length, i * hop_length + n_fft)
        sound[..., there] += pieces[..., i, :]
        total[there] += weights**2
    sound = sound / np.where(total > np.finfo(np.float32).tiny, total, 1.0)
    start = n_fft // 2 if center else 0
    if length == 0 and center:
        return sound[..., start : size - start]
    sound = sound[..., start : start + length]
    return np.pad(sound, [(0, 0)] * (sound.ndim - 1) + [(0, length - sound.shape[-1])])


class ComplexSpectrumOperation(AudioTensorOperation):
    """Base of the operations on complex spectra, ``(..., frequency, time, 2)``.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.InverseSpectrogram(n_fft=4)(np.ones((3, 3, 2))).shape
        (4,)
    """

    rank = 3

    def _floats(self, value: object) -> np.ndarray:
        array = super()._floats(value)
        if array.shape[-1] != 2:
            raise RuntimeError(
                f"audio.{type(self).__name__}: expected complex numbers, with a last axis of 2, got {describe(array)}."
            )
        return array


class InverseSpectrogram(ComplexSpectrumOperation):
    """Gives the sound of a complex spectrum ``(..., frequency, time, 2)``.

    Args:
        length (int, optional): How many samples. Default: ``None``, those between the first time and the last.
        n_fft (int): As for `Spectrogram`, like `win_length`, `hop_length`, `pad`, `window`, `normalized`, `center`,
            `pad_mode` and `onesided`. Default: ``400``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not a complex spectrum, or has another number of frequencies.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> sound = np.sin(np.arange(64, dtype=np.float32))
        >>> spectrum = audio.Spectrogram(16, power=0.0)(sound)
        >>> np.abs(audio.InverseSpectrogram(64, 16)(spectrum) - sound).max() < 1e-5
        np.True_
    """

    def __init__(
        self,
        length: int | None = None,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        pad: int = 0,
        window: WindowType = WindowType.HANN,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
    ) -> None:
        where = "audio.InverseSpectrogram"
        self.length = 0 if length is None else checks.integer(where, "length", length, 0)
        self.n_fft = checks.integer(where, "n_fft", n_fft, 1)
        self.window = choice(where, "window", window, WindowType)
        for name, flag in (("normalized", normalized), ("center", center), ("onesided", onesided)):
            checks.boolean(where, name, flag)
        self.normalized, self.center, self.onesided = normalized, center, onesided
        choice(where, "pad_mode", pad_mode, BorderType)
        self.pad = checks.integer(where, "pad", pad, 0)
        self.win_length = n_fft if win_length is None else checks.integer(where, "win_length", win_length, 1, n_fft)
        hop = max(self.win_length // 2, 1)
        self.hop_length = hop if hop_length is None else checks.integer(where, "hop_length", hop_length, 1)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        exact = array.astype(np.float64)
        spectrum = exact[..., 0] + 1j * exact[..., 1]
        if self.normalized:
            spectrum = spectrum * np.sqrt((window_of(self.window, self.win_length) ** 2).sum())
        if not self.onesided:
            spectrum = spectrum[..., : self.n_fft // 2 + 1, :]
        if self.pad and not self.length:
            raise RuntimeError(f"audio.InverseSpectrogram: pad={self.pad} needs a length.")
        size = self.length + 2 * self.pad if self.length else (array.shape[-2] - 1) * self.hop_length
        sound = sound_of(spectrum, self.n_fft, self.win_length, self.hop_length, self.window, self.center, size)
        return sound[..., self.pad : size - self.pad].astype(np.float32 if self.pad else array.dtype)


class GriffinLim(AudioTensorOperation):
    """Gives sound that has a spectrogram ``(..., frequency, time)``, by estimates of its phases.

    Args:
        n_fft (int): As for `Spectrogram`, like `win_length`. Default: ``400``.
        n_iter (int): How many guesses follow the first. Default: ``32``.
        hop_length (int, optional): The distance between the starts of frames. Default: ``None``, half of `win_length`.
        window_type (WindowType): The weights. Default: ``WindowType.HANN``.
        power (float): The exponent of the magnitudes, > 0. Default: ``2.0``.
        momentum (float): How far a guess goes on in the direction of the one before, m: the guess
            before is subtracted m / (1 + 2m) times. Default: ``0.99``.
        length (int, optional): How many samples. Default: ``None``, those between the first time and the last.
        rand_init (bool): Whether the first estimate is random. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not a spectrogram, has another number of frequencies, or `length` makes another
            number of stretches.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.GriffinLim(16, 4)(np.ones((9, 5), np.float32)).shape
        (32,)
    """

    rank = 2

    def __init__(
        self,
        n_fft: int = 400,
        n_iter: int = 32,
        win_length: int | None = None,
        hop_length: int | None = None,
        window_type: WindowType = WindowType.HANN,
        power: float = 2.0,
        momentum: float = 0.99,
        length: int | None = None,
        rand_init: bool = True,
    ) -> None:
        where = "audio.GriffinLim"
        self.n_fft = checks.integer(where, "n_fft", n_fft, 1)
        self.n_iter = checks.integer(where, "n_iter", n_iter, 1)
        width = None if win_length is None else checks.integer(where, "win_length", win_length, 0, n_fft)
        self.win_length = width or n_fft
        hop = None if hop_length is None else checks.integer(where, "hop_length", hop_length, 0)
        self.hop_length = hop or max(self.win_length // 2, 1)
        self.window = choice(where, "window_type", window_type, WindowType)
        self.power = number(where, "power", power, above=True)
        self.momentum = number(where, "momentum", momentum)
        self.length = 0 if length is None else checks.integer(where, "length", length, 0)
        checks.boolean(where, "rand_init", rand_init)
        self.rand_init = rand_init
        self.spectrogram = Spectrogram(n_fft, self.win_length, self.hop_length, window=window_type)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        flat = array.reshape(-1, *array.shape[-2:]).astype(np.float64)
        sounds = np.stack([self._sound(np.maximum(plane, 0) ** (1 / self.power), array.dtype) for plane in flat])
        return sounds[0] if array.ndim == 2 else sounds

    def _sound(self, magnitudes: np.ndarray, dtype: np.dtype) -> np.ndarray:
        phases = np.ones(magnitudes.shape, np.complex128)
        if self.rand_init:
            phases = generator().random(magnitudes.shape) + 1j * generator().random(magnitudes.shape)
        before = np.zeros_like(phases)
        for _ in range(self.n_iter):
            rebuilt = self.spectrogram.spectrum(self._back(magnitudes * phases).astype(dtype))
            if rebuilt.shape != phases.shape:
                raise RuntimeError(
                    f"audio.GriffinLim: length={self.length} does not give {magnitudes.shape[-1]} stretches of time."
                )
            phases = rebuilt - before * (self.momentum / (1 + 2 * self.momentum))
            phases = phases / (np.abs(phases) + 1e-16)
            before = rebuilt
        return self._back(magnitudes * phases).astype(dtype)

    def _back(self, spectrum: np.ndarray) -> np.ndarray:
        return sound_of(spectrum, self.n_fft, self.win_length, self.hop_length, self.window, True, self.length)


class InverseMelScale(AudioTensorOperation):
    """Finds a spectrogram whose mels are those of the input, ``(..., mel, time)``, by gradient descent from a random one.

    Args:
        n_stft (int): How many frequencies the spectrogram has.
        n_mels (int): How many mels. Default: ``128``.
        sample_rate (int): Samples a second. Default: ``16000``.
        f_min (float): The lowest frequency, in Hz. Default: ``0.0``.
        f_max (float, optional): The highest. Default: ``None``, half of `sample_rate`.
        max_iter (int): How many steps at most. Default: ``100000``.
        tolerance_loss (float): The descent ends when the mean of squared errors is below this. Default: ``1e-5``.
        tolerance_change (float): The descent ends when that mean changes by less than this. Default: ``1e-8``.
        sgdargs (dict, optional): ``sgd_lr``, the length of a step, and ``sgd_momentum``, which changes nothing, as
            each step begins again. Default: ``None``, 0.1 and 0.9.
        norm (NormType): Whether triangles have equal areas. Default: ``NormType.NONE``.
        mel_type (MelType): The formula of the mel scale. Default: ``MelType.HTK``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        KeyError: If `sgdargs` lacks a number.
        RuntimeError: If the input has another number of mels.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.InverseMelScale(9, 4)(np.ones((4, 2), np.float32)).shape
        (1, 9, 2)
    """

    rank = 2

    def __init__(
        self,
        n_stft: int,
        n_mels: int = 128,
        sample_rate: int = 16000,
        f_min: float = 0.0,
        f_max: float | None = None,
        max_iter: int = 100000,
        tolerance_loss: float = 1e-05,
        tolerance_change: float = 1e-08,
        sgdargs: dict[str, float] | None = None,
        norm: NormType = NormType.NONE,
        mel_type: MelType = MelType.HTK,
    ) -> None:
        where = "audio.InverseMelScale"
        checks.integer(where, "sample_rate", sample_rate, 1)
        highest = sample_rate // 2 if f_max is None else number(where, "f_max", f_max, above=True)
        if number(where, "f_min", f_min, -16777216.0) >= highest:
            raise ValueError(f"{where}: f_max must be greater than f_min={f_min}, got {highest}.")
        self.bank = MelScale(n_mels, sample_rate, f_min, f_max, n_stft, norm, mel_type).bank.T.astype(np.float64)
        self.max_iter = checks.integer(where, "max_iter", max_iter, 1)
        self.tolerance_loss = number(where, "tolerance_loss", tolerance_loss, above=True)
        self.tolerance_change = number(where, "tolerance_change", tolerance_change, above=True)
        settings = {"sgd_lr": 0.1, "sgd_momentum": 0.9} if sgdargs is None else sgdargs
        self.step = number(where, "sgd_lr", settings["sgd_lr"])
        number(where, "sgd_momentum", settings["sgd_momentum"])

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.shape[-2] != len(self.bank):
            raise RuntimeError(f"audio.InverseMelScale: expected {len(self.bank)} mels, got {describe(array)}.")
        flat = array.reshape(-1, *array.shape[-2:]).astype(np.float64)
        spectra = np.stack([self._descend(plane) for plane in flat]).astype(array.dtype)
        return spectra if array.ndim == 2 else spectra.reshape(*array.shape[:-2], *spectra.shape[-2:])

    def _descend(self, mels: np.ndarray) -> np.ndarray:
        spectrum = generator().random((self.bank.shape[1], mels.shape[1]))
        loss = np.inf
        for _ in range(self.max_iter):
            error = mels - self.bank @ spectrum
            new = (error**2).mean()
            if new < self.tolerance_loss or abs(loss - new) < self.tolerance_change:
                break
            spectrum += self.step / mels.shape[1] * (self.bank.T @ error)
            loss = new
        return np.maximum(spectrum, 0)
