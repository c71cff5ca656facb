"""Vad: sound from the start of voice activity on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, number, real


class Vad(AudioTensorOperation):
    """Cuts off the beginning of sound, up to the start of voice activity.

    MindSpore's measure of voices is 0 for any sound, because the spectrum under its cepstrum is left empty. If
    `trigger_level` is not positive, activity therefore starts at the first sample. Else there is none, and the samples
    of one search remain, or all of a shorter sound. This class does the same.

    Args:
        sample_rate (int): Samples a second.
        trigger_level (float): The measure from which on there is a voice. Default: ``7.0``.
        trigger_time (float): Over how many seconds measures are averaged. Default: ``0.25``.
        search_time (float): How many seconds before a voice are searched for its beginning. Default: ``1.0``.
        allowed_gap (float): How long it may pause there, in seconds. Default: ``0.25``.
        pre_trigger_time (float): How many seconds before it are kept. Default: ``0.0``.
        boot_time (float): How long the first estimate of noise takes, in seconds. Default: ``0.35``.
        noise_up_time (float): How fast the estimate grows, in seconds. Default: ``0.1``.
        noise_down_time (float): How fast it shrinks, at most `noise_up_time`. Default: ``0.01``.
        noise_reduction_amount (float): How much of the noise is subtracted. Default: ``1.35``.
        measure_freq (float): How often sound is measured, in Hz. Default: ``20.0``.
        measure_duration (float, optional): The length of a measurement, in seconds. Default: ``None``, two periods.
        measure_smooth_time (float): Over how many seconds spectra are averaged. Default: ``0.4``.
        hp_filter_freq (float): The lowest frequency that is looked at, in Hz. Default: ``50.0``.
        lp_filter_freq (float): The highest, in Hz. Default: ``6000.0``.
        hp_lifter_freq (float): The lowest frequency of the cepstrum, in Hz. Default: ``150.0``.
        lp_lifter_freq (float): The highest, in Hz. Default: ``2000.0``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not audio, or no frequency remains.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Vad(1000)(np.zeros(3000, np.float32)).shape
        (1100,)
    """

    def __init__(
        self,
        sample_rate: int,
        trigger_level: float = 7.0,
        trigger_time: float = 0.25,
        search_time: float = 1.0,
        allowed_gap: float = 0.25,
        pre_trigger_time: float = 0.0,
        boot_time: float = 0.35,
        noise_up_time: float = 0.1,
        noise_down_time: float = 0.01,
        noise_reduction_amount: float = 1.35,
        measure_freq: float = 20.0,
        measure_duration: float | None = None,
        measure_smooth_time: float = 0.4,
        hp_filter_freq: float = 50.0,
        lp_filter_freq: float = 6000.0,
        hp_lifter_freq: float = 150.0,
        lp_lifter_freq: float = 2000.0,
    ) -> None:
        where = "audio.Vad"
        self.sample_rate = checks.integer(where, "sample_rate", sample_rate, 1)
        self.trigger_level = real(where, "trigger_level", trigger_level)
        times: dict[str, Any] = {
            "trigger_time": trigger_time, "search_time": search_time, "allowed_gap": allowed_gap,
            "pre_trigger_time": pre_trigger_time, "boot_time": boot_time, "noise_up_time": noise_up_time,
            "noise_down_time": noise_down_time, "noise_reduction_amount": noise_reduction_amount,
            "measure_duration": measure_duration or 0, "measure_smooth_time": measure_smooth_time,
        }  # fmt: skip
        for name, value in times.items():
            number(where, name, value)
        if noise_up_time < noise_down_time:
            raise ValueError(
                f"{where}: noise_up_time must be at least noise_down_time={noise_down_time}, got {noise_up_time}."
            )
        frequencies: dict[str, Any] = {
            "measure_freq": measure_freq, "hp_filter_freq": hp_filter_freq, "lp_filter_freq": lp_filter_freq,
            "hp_lifter_freq": hp_lifter_freq, "lp_lifter_freq": lp_lifter_freq,
        }  # fmt: skip
        for name, value in frequencies.items():
            number(where, name, value, above=True)
        self._filters = hp_filter_freq, lp_filter_freq
        self._lifters = hp_lifter_freq, lp_lifter_freq
        self._measure = int(sample_rate * (measure_duration or 2.0 / measure_freq) + 0.5)
        self._period = int(sample_rate / measure_freq + 0.5)
        self._search = search_time, measure_freq
        self._before = int(pre_trigger_time * sample_rate + 0.5)

    def _look(self) -> None:
        """Raise RuntimeError if no frequency is left."""
        size = max(16, 2 ** math.ceil(math.log2(max(self._measure, 1))))
        low, high = (int(f / self.sample_rate * size + 0.5) for f in self._filters)
        first, last = (self.sample_rate * 0.5 / f for f in reversed(self._lifters))
        if min(high, size // 2) <= max(low, 1) or min(math.floor(last), size // 4) <= math.ceil(first):
            raise RuntimeError(
                f"audio.Vad: no frequency is between hp_filter_freq and lp_filter_freq {self._filters}, or between"
                f" hp_lifter_freq and lp_lifter_freq {self._lifters}, at sample_rate={self.sample_rate}."
            )

    def _apply(self, array: np.ndarray) -> np.ndarray:
        self._look()
        time, frequency = np.asarray(self._search, np.float32).astype(array.dtype)
        searched = math.ceil(time * frequency) * self._period  # rounded in the dtype of the sound
        remaining = self._before + searched + self._measure
        if self.trigger_level > 0 or array.shape[-1] < self._measure:
            return array[..., -remaining:] if array.shape[-1] >= remaining else array
        start = self._measure + searched - remaining
        return array[..., start:] if start >= -array.shape[-1] else array
