"""DetectPitchFrequency."""

from __future__ import annotations

import math

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import FloatTensorOperation, number


class DetectPitchFrequency(FloatTensorOperation):
    """Gives the pitch, in Hz, of frames of sound: that of the delay with the highest correlation.

    Args:
        sample_rate (int): Samples a second, not 0.
        frame_time (float): The length of a frame, in seconds, > 0. Default: ``0.01``.
        win_length (int): The number of frames whose median is taken. Default: ``30``.
        freq_low (int): The lowest pitch, in Hz, > 0. Default: ``85``.
        freq_high (int): The highest, in Hz, > 0. Default: ``3400``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input holds no floats, or has too few frames for a median.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> sound = np.sin(2 * np.pi * 400 * np.arange(4000) / 16000)
        >>> audio.DetectPitchFrequency(16000, 0.01, 3, freq_low=250)(sound)[1:3]
        array([400., 400.], dtype=float32)
    """

    def __init__(
        self,
        sample_rate: int,
        frame_time: float = 0.01,
        win_length: int = 30,
        freq_low: int = 85,
        freq_high: int = 3400,
    ) -> None:
        where = "audio.DetectPitchFrequency"
        self.sample_rate = checks.integer(where, "sample_rate", sample_rate, -checks.MAX_INT - 1)
        if sample_rate == 0:
            raise ValueError(f"{where}: sample_rate must not be 0.")
        self.frame_time = number(where, "frame_time", frame_time, above=True)
        self.win_length = checks.integer(where, "win_length", win_length, 1)
        self.freq_low = number(where, "freq_low", freq_low, above=True)
        self.freq_high = number(where, "freq_high", freq_high, above=True)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        sound = array.reshape(-1, array.shape[-1])
        likeness = self._likeness(sound)
        least, half = math.ceil(self.sample_rate / self.freq_high), likeness.shape[-1] // 2
        best = likeness[..., least:].argmax(-1) + least
        short = likeness[..., least : max(half, least + 1)].argmax(-1) + least
        of_best, of_short = (np.take_along_axis(likeness, i[..., None], -1)[..., 0] for i in (best, short))
        delays = np.where(of_short > of_best * array.dtype.type(0.99), short, best) + 1
        before = (self.win_length - 1) // 2
        padded = np.concatenate([np.repeat(delays[:, :1], before, 1), delays], 1)
        if padded.shape[1] < self.win_length:
            raise RuntimeError(
                f"audio.DetectPitchFrequency: {describe(array)} has {delays.shape[1]} frames, too few for the median of"
                f" win_length={self.win_length}."
            )
        around = np.sort(np.lib.stride_tricks.sliding_window_view(padded, self.win_length, 1), -1)[..., before]
        return (self.sample_rate / (1e-9 + around)).astype(np.float32).reshape(*array.shape[:-1], -1)

    def _likeness(self, sound: np.ndarray) -> np.ndarray:
        """Return the correlation of each frame with the sound after each delay, from one sample on."""
        lags = math.ceil(self.sample_rate / self.freq_low)
        size = math.ceil(np.float32(self.sample_rate) * np.float32(self.frame_time))
        count = math.ceil(sound.shape[-1] / size)
        padded = np.pad(sound, ((0, 0), (0, lags + count * size - sound.shape[-1])))
        here = padded[:, : count * size].reshape(-1, count, size)
        correlation = np.zeros((len(sound), count, lags), sound.dtype)
        for lag in range(1, lags + 1):
            there = padded[:, lag : lag + count * size].reshape(-1, count, size)
            weight, other = (here * here).sum(-1), (there * there).sum(-1)
            both = (weight != 0) & (other != 0)
            np.divide(
                (here * there).sum(-1) / np.where(both, weight, 1), other, out=correlation[..., lag - 1], where=both
            )
        return correlation
