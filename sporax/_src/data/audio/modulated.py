"""Sound added to itself after a delay that changes: Flanger, Phaser."""

from __future__ import annotations

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, number
from sporax._src.data.audio.enums import Interpolation, Modulation, choice
from sporax._src.data.tensor_bridge import as_array


def _wave(kind: Modulation, size: int, low: float, high: float, phase: float) -> np.ndarray:
    """Return one turn of a wave between `low` and `high`, in `size` steps from `phase`, as float32."""
    step = (np.arange(size) + int(phase / np.pi / 2 * size + 0.5)) % size
    if kind is Modulation.SINUSOIDAL:
        share = (np.sin(step * np.pi / size * 2) + 1) / 2
    else:
        quarter, slope = 4 * step // size, step * 2.0 / size
        share = np.where(quarter == 0, slope + 0.5, np.where(quarter == 3, slope - 1.5, 1.5 - slope))
    return share.astype(np.float32) * np.float32(high - low) + np.float32(low)


def _rate(where: str, sample_rate: int) -> int:
    checks.integer(where, "sample_rate", sample_rate, -checks.MAX_INT - 1)
    return sample_rate


class Phaser(AudioTensorOperation):
    """Adds to sound its echo after a delay that a wave changes, and echoes of that.

    Args:
        sample_rate (int): Samples a second.
        gain_in (float): The gain of the input, of [0, 1]. Default: ``0.4``.
        gain_out (float): The gain of the result, of [0, 1e9]. Default: ``0.74``.
        delay_ms (float): The longest delay, in ms, of [0, 5]. Default: ``3.0``.
        decay (float): The gain of an echo, of [0, 0.99]. Default: ``0.4``.
        mod_speed (float): How often the delay changes, in Hz, of [0.1, 2]. Default: ``0.5``.
        sinusoidal (bool): Whether the wave is a sine and not a triangle. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not sound, or the longest delay is less than a sample.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Phaser(1000, 1, 1)(np.array([0.5, 0.0, 0.0, 0.0, 0.0]))
        array([0.5   , 0.2   , 0.08  , 0.032 , 0.0128])
    """

    def __init__(
        self,
        sample_rate: int,
        gain_in: float = 0.4,
        gain_out: float = 0.74,
        delay_ms: float = 3.0,
        decay: float = 0.4,
        mod_speed: float = 0.5,
        sinusoidal: bool = True,
    ) -> None:
        where = "audio.Phaser"
        self.sample_rate = _rate(where, sample_rate)
        self.gain_in = number(where, "gain_in", gain_in, high=1)
        self.gain_out = number(where, "gain_out", gain_out, high=1e9)
        self.delay_ms = number(where, "delay_ms", delay_ms, high=5.0)
        self.decay = number(where, "decay", decay, high=0.99)
        self.mod_speed = number(where, "mod_speed", mod_speed, 0.1, high=2)
        checks.boolean(where, "sinusoidal", sinusoidal)
        self.modulation = Modulation.SINUSOIDAL if sinusoidal else Modulation.TRIANGULAR

    def _apply(self, array: np.ndarray) -> np.ndarray:
        size = int(self.delay_ms * 0.001 * self.sample_rate + 0.5)
        turn = int(self.sample_rate / self.mod_speed + 0.5)
        if size < 1 or turn < 1:
            raise RuntimeError(
                f"audio.Phaser: delay_ms={self.delay_ms} is less than a sample at sample_rate={self.sample_rate}."
            )
        delays = (_wave(self.modulation, turn, 1.0, size, np.pi / 2) + np.float32(0.5)).astype(int)
        sound = (array.reshape(-1, array.shape[-1]).T * array.dtype.type(self.gain_in)).copy()
        echoes = np.zeros((size, sound.shape[1]), array.dtype)
        for i, line in enumerate(sound):
            line += echoes[(i + delays[i % turn]) % size]
            echoes[(i + 1) % size] = line * self.decay
        return np.clip(sound.T.reshape(array.shape) * array.dtype.type(self.gain_out), -1, 1)


class Flanger(AudioTensorOperation):
    """Adds to sound its echo after a delay that a wave changes, with values between samples interpolated.

    Args:
        sample_rate (int): Samples a second, not 0.
        delay (float): The shortest delay, in ms, of [0, 30]. Default: ``0.0``.
        depth (float): How much longer it becomes, in ms, of [0, 10]. Default: ``2.0``.
        regen (float): How much of the echo is echoed again, in percent, of [-95, 95]. Default: ``0.0``.
        width (float): How much of the echo is added, in percent, of [0, 100]. Default: ``71.0``.
        speed (float): How often the delay changes, in Hz, of [0.1, 10]. Default: ``0.5``.
        phase (float): The phase difference between channels, in percent, of [0, 100]. Default: ``25.0``.
        modulation (Modulation): The wave. Default: ``Modulation.SINUSOIDAL``.
        interpolation (Interpolation): How values between samples are found. Default: ``Interpolation.LINEAR``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a number is out of range.
        RuntimeError: If the input is not sound of at most 4 channels, ``(..., channel, time)``.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Flanger(1000, width=100)(np.array([[0.5, 0.0, 0.0]])).round(4)
        array([[0.5, 0. , 0. ]])
    """

    rank = 2

    def __init__(
        self,
        sample_rate: int,
        delay: float = 0.0,
        depth: float = 2.0,
        regen: float = 0.0,
        width: float = 71.0,
        speed: float = 0.5,
        phase: float = 25.0,
        modulation: Modulation = Modulation.SINUSOIDAL,
        interpolation: Interpolation = Interpolation.LINEAR,
    ) -> None:
        where = "audio.Flanger"
        self.sample_rate = _rate(where, sample_rate)
        if sample_rate == 0:
            raise ValueError(f"{where}: sample_rate must not be 0.")
        self.delay = number(where, "delay", delay, high=30)
        self.depth = number(where, "depth", depth, high=10)
        self.regen = number(where, "regen", regen, -95, high=95)
        self.width = number(where, "width", width, high=100)
        self.speed = number(where, "speed", speed, 0.1, high=10)
        self.phase = number(where, "phase", phase, high=100)
        self.modulation = choice(where, "modulation", modulation, Modulation)
        self.interpolation = choice(where, "interpolation", interpolation, Interpolation)

    def _floats(self, value: object) -> np.ndarray:
        if super()._floats(value).shape[-2] > 4:
            raise RuntimeError(f"audio.Flanger: expected at most 4 channels, got {describe(as_array(value))}.")
        return as_array(value)  # the result has the dtype of the input, whole numbers included

    def _apply(self, array: np.ndarray) -> np.ndarray:
        kind = np.float64 if array.dtype == np.float64 else np.float32
        share, back = kind(self.width) / kind(100), kind(self.regen) / kind(100)
        of_input, of_echo = kind(1.0 / float(1 + share)), share / (1 + share) * (1 - abs(back))
        size = int((self.delay + self.depth) / 1000 * self.sample_rate + 0.5) + 2
        turn = int(self.sample_rate / self.speed)
        shortest = np.floor(self.delay / 1000 * self.sample_rate + 0.5)
        delays = _wave(self.modulation, turn, shortest, size - 2.0, 3 * np.pi / 2)
        sound = array.astype(kind).reshape(-1, *array.shape[-2:])
        starts = (np.arange(sound.shape[1]) * turn * (self.phase / 100) + 0.5).astype(int)
        memory = np.zeros((*sound.shape[:2], size), kind)
        echo, output = np.zeros(sound.shape[:2], kind), np.empty_like(sound)
        channels = np.arange(sound.shape[1])
        for i in range(sound.shape[-1]):
            first = -(i + 1) % size
            memory[..., first] = sound[..., i] + echo * back
            delay = delays[(i + starts) % turn]
            whole = np.floor(delay).astype(int)
            a, b, c = (memory[:, channels, (first + whole + k) % size] for k in range(3))
            echo = self._between(a, b, c, (delay - whole).astype(kind))
            output[..., i] = sound[..., i] * of_input + echo * of_echo
        return np.clip(output, -1, 1).reshape(array.shape).astype(array.dtype)

    def _between(self, a: np.ndarray, b: np.ndarray, c: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Return the values at `share` between a and b; c follows them."""
        b, c = b - a, c - a
        if self.interpolation is Interpolation.LINEAR:
            return a + b * share
        half = a.dtype.type(0.5)
        return a + ((c * half - b) * share + (b * 2 - c * half)) * share
