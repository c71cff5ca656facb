"""Features of speech: MFCC, LFCC, and operations on features over time: ComputeDeltas, SlidingWindowCmn."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, number
from sporax._src.data.audio.enums import BorderType, MelType, NormMode, NormType, WindowType, choice
from sporax._src.data.audio.mel import MelSpectrogram, create_dct, linear_fbanks
from sporax._src.data.audio.spectrum import AmplitudeToDB, Spectrogram


def _common(where: str, dct_type: int, norm: NormMode, options: object, name: str) -> None:
    """Check the arguments that MFCC and LFCC share."""
    choice(where, "norm", norm, NormMode)
    if dct_type != 2:
        raise ValueError(f"{where}: dct_type must be 2, got {dct_type}.")
    if options is not None and not isinstance(options, dict):
        raise TypeError(f"{where}: {name} must be a dict, got {describe(options)}.")


def _complete(options: dict[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a spectrogram; those of a program must be complete."""
    spectrum = {
        "n_fft": 400, "win_length": 400, "hop_length": 200, "pad": 0, "window": WindowType.HANN, "power": 2.0,
        "normalized": False, "center": True, "pad_mode": BorderType.REFLECT, "onesided": True,
    }  # fmt: skip
    names = spectrum | more
    return names if options is None else {name: options[name] for name in names}


class _Cepstrum(AudioTensorOperation):
    """The cosine transform of a spectrum on a scale of loudness."""

    log: bool
    dct: np.ndarray

    def _spectrum(self, array: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _apply(self, array: np.ndarray) -> np.ndarray:
        spectrum = self._spectrum(array.astype(np.float32))
        loudness = np.log(spectrum + np.float32(1e-6)) if self.log else AmplitudeToDB()._apply(spectrum)
        return (self.dct.T @ loudness).astype(np.float32)


class MFCC(_Cepstrum):
    """Gives the cepstrum of sound on a mel scale: ``(..., coefficient, frame)``.

    Args:
        sample_rate (int): Samples a second. Default: ``16000``.
        n_mfcc (int): How many coefficients. Default: ``40``.
        dct_type (int): Which cosine transform; 2 is the only one. Default: ``2``.
        norm (NormMode): Whether it is orthogonal. Default: ``NormMode.ORTHO``.
        log_mels (bool): Whether to take logarithms; otherwise decibels, at most 80 below the maximum. Default: ``False``.
        melkwargs (dict, optional): All arguments of `MelSpectrogram` but `sample_rate`. Default: ``None``, its defaults.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range, or `melkwargs` gives fewer mels than coefficients.
        KeyError: If `melkwargs` lacks an argument.
        RuntimeError: If the input is not sound, or shorter than half a frame.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.MFCC(16000, 13)(np.zeros(800, np.float32)).shape
        (13, 5)
    """

    def __init__(
        self,
        sample_rate: int = 16000,
        n_mfcc: int = 40,
        dct_type: int = 2,
        norm: NormMode = NormMode.ORTHO,
        log_mels: bool = False,
        melkwargs: dict[str, Any] | None = None,
    ) -> None:
        where = "audio.MFCC"
        checks.integer(where, "sample_rate", sample_rate, 0)
        checks.boolean(where, "log_mels", log_mels)
        checks.integer(where, "n_mfcc", n_mfcc, 0)
        _common(where, dct_type, norm, melkwargs, "melkwargs")
        defaults = {"f_min": 0.0, "f_max": sample_rate // 2, "n_mels": 128}
        options = _complete(melkwargs, defaults | {"norm": NormType.NONE, "mel_scale": MelType.HTK})
        if melkwargs is not None and options["n_mels"] < n_mfcc:
            raise ValueError(f"{where}: n_mels must be at least n_mfcc={n_mfcc}, got {options['n_mels']}.")
        self.log = log_mels
        self.mel = MelSpectrogram(sample_rate, **options)
        self.dct = create_dct(n_mfcc, options["n_mels"], norm)

    def _spectrum(self, array: np.ndarray) -> np.ndarray:
        return self.mel._apply(array)


class LFCC(_Cepstrum):
    """Gives the cepstrum of sound on a linear scale: ``(..., coefficient, frame)``.

    Args:
        sample_rate (int): Samples a second. Default: ``16000``.
        n_filter (int): How many triangles of frequencies. Default: ``128``.
        n_lfcc (int): How many coefficients. Default: ``40``.
        f_min (float): The lowest frequency, in Hz. Default: ``0.0``.
        f_max (float, optional): The highest. Default: ``None``, half of `sample_rate`.
        dct_type (int): Which cosine transform; 2 is the only one. Default: ``2``.
        norm (NormMode): Whether it is orthogonal. Default: ``NormMode.ORTHO``.
        log_lf (bool): Whether to take logarithms; otherwise decibels, at most 80 below the maximum. Default: ``False``.
        speckwargs (dict, optional): All arguments of `Spectrogram`. Default: ``None``, its defaults.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        KeyError: If `speckwargs` lacks an argument.
        RuntimeError: If the input is not sound, or shorter than half a frame, or ends are to be padded by their edge.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.LFCC(16000, n_lfcc=13)(np.zeros(800, np.float32)).shape
        (13, 5)
    """

    def __init__(
        self,
        sample_rate: int = 16000,
        n_filter: int = 128,
        n_lfcc: int = 40,
        f_min: float = 0.0,
        f_max: float | None = None,
        dct_type: int = 2,
        norm: NormMode = NormMode.ORTHO,
        log_lf: bool = False,
        speckwargs: dict[str, Any] | None = None,
    ) -> None:
        where = "audio.LFCC"
        checks.integer(where, "sample_rate", sample_rate, 0)
        checks.integer(where, "n_filter", n_filter, 1)
        checks.integer(where, "n_lfcc", n_lfcc, 1)
        checks.boolean(where, "log_lf", log_lf)
        number(where, "f_min", f_min)
        highest = sample_rate // 2 if f_max is None else number(where, "f_max", f_max)
        if f_min > highest or (f_max is None and f_min == highest):
            raise ValueError(f"{where}: f_max must be greater than f_min={f_min}, got {highest}.")
        _common(where, dct_type, norm, speckwargs, "speckwargs")
        options = _complete(speckwargs, {})
        if options["n_fft"] < n_lfcc:
            raise ValueError(f"{where}: n_fft must be at least n_lfcc={n_lfcc}, got {options['n_fft']}.")
        self.log = log_lf
        self.spectrogram = Spectrogram(**options)
        self.bank = linear_fbanks(options["n_fft"] // 2 + 1, f_min, highest, n_filter, sample_rate)
        self.dct = create_dct(n_lfcc, n_filter, norm)

    def _spectrum(self, array: np.ndarray) -> np.ndarray:
        if self.spectrogram.pad_mode is BorderType.EDGE:
            raise RuntimeError("audio.LFCC: pad_mode must not be BorderType.EDGE.")
        return self.bank.T @ self.spectrogram._apply(array)


class ComputeDeltas(AudioTensorOperation):
    """Gives the slopes of features over time: dₜ = Σ k · (cₜ₊ₖ - cₜ₋ₖ) / (2 Σ k²), with k from 1 to n.

    Args:
        win_length (int): The length of the window of time, 2n + 1, at least 3. Default: ``5``.
        pad_mode (BorderType): What is put at the ends. Default: ``BorderType.EDGE``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `win_length` is less than 3.
        RuntimeError: If the input has fewer than two axes.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.ComputeDeltas(3)(np.array([[0.0, 1.0, 3.0]]))
        array([[0.5, 1.5, 1. ]])
    """

    rank = 2

    def __init__(self, win_length: int = 5, pad_mode: BorderType = BorderType.EDGE) -> None:
        self.pad_mode = choice("audio.ComputeDeltas", "pad_mode", pad_mode, BorderType)
        self.win_length = checks.integer("audio.ComputeDeltas", "win_length", win_length, 3)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        n = (self.win_length - 1) // 2
        ends = [(0, 0)] * (array.ndim - 1) + [(n, n)]
        padded = np.pad(array.astype(np.float64), ends, mode=self.pad_mode.value)
        around = np.lib.stride_tricks.sliding_window_view(padded, 2 * n + 1, -1)
        return (around @ np.arange(-n, n + 1) / (n * (n + 1) * (2 * n + 1) // 3)).astype(array.dtype)


class SlidingWindowCmn(AudioTensorOperation):
    """Subtracts from features ``(..., time, feature)`` their mean over a window of time around them.

    Args:
        cmn_window (int): The length of the window. Default: ``600``.
        min_cmn_window (int): Its least length at the beginning, if it is not centered. Default: ``100``.
        center (bool): Whether the window is around a feature, not before it. Default: ``False``.
        norm_vars (bool): Whether to divide by the standard deviation too. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a length is negative.
        RuntimeError: If the input has fewer than two axes, or a window is empty.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.SlidingWindowCmn(2, 1, True)(np.array([[1.0], [3.0], [6.0]])).ravel()
        array([-1. ,  1. ,  1.5])
    """

    rank = 2

    def __init__(
        self, cmn_window: int = 600, min_cmn_window: int = 100, center: bool = False, norm_vars: bool = False
    ) -> None:
        where = "audio.SlidingWindowCmn"
        self.cmn_window = checks.integer(where, "cmn_window", cmn_window, 0)
        self.min_cmn_window = checks.integer(where, "min_cmn_window", min_cmn_window, 0)
        checks.boolean(where, "center", center)
        checks.boolean(where, "norm_vars", norm_vars)
        self.center, self.norm_vars = center, norm_vars

    def _stretch(self, i: int, frames: int) -> tuple[int, int]:
        """Return the start and the end of the window of frame `i`."""
        start = i - (self.cmn_window // 2 if self.center else self.cmn_window)
        end = start + self.cmn_window if self.center else i + 1
        start, end = max(start, 0), end - min(start, 0)
        if not self.center and end > i:
            end = max(i + 1, self.min_cmn_window)
        return (max(start - (end - frames), 0), frames) if end > frames else (start, end)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        exact = array.astype(np.float64)
        stretches = [self._stretch(i, array.shape[-2]) for i in range(array.shape[-2])]
        starts, ends = np.array(stretches).T
        counts = (ends - starts)[:, None]
        if (counts == 0).any():
            raise RuntimeError(f"audio.SlidingWindowCmn: a window of cmn_window={self.cmn_window} frames is empty.")

        def means(values: np.ndarray) -> np.ndarray:
            sums = np.cumsum(np.insert(values, 0, 0, axis=-2), axis=-2)
            return (sums[..., ends, :] - sums[..., starts, :]) / counts

        result = exact - means(exact)
        if self.norm_vars:
            with np.errstate(divide="ignore", invalid="ignore"):
                result = np.where(counts == 1, 0.0, result / np.sqrt(means(exact**2) - means(exact) ** 2))
        if array.ndim == 2 and len(array) == 1:
            result = result.squeeze()  # as MindSpore returns a single frame
        return result.astype(array.dtype)
