"""How loud sound is: gains, fades, distortion, fewer levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import AudioTensorOperation, number, real
from sporax._src.data.audio.enums import DensityFunction, FadeShape, GainType, choice
from sporax._src.data.randomness import generator
from sporax._src.data.tensor_bridge import as_array


class Gain(AudioTensorOperation):
    """Makes sound louder or softer: x · 10^(gain_db / 20).

    Args:
        gain_db (float): The gain, in dB. Default: ``1.0``.

    Raises:
        TypeError: If `gain_db` is not a number.
        ValueError: If `gain_db` is beyond 16777216.
        RuntimeError: If the input is not sound.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Gain(20)(np.array([0.05, -0.1]))
        array([ 0.5, -1. ])
    """

    def __init__(self, gain_db: float = 1.0) -> None:
        self.gain_db = real("audio.Gain", "gain_db", gain_db)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return array * array.dtype.type(10.0 ** (self.gain_db / 20))


class Vol(AudioTensorOperation):
    """Makes sound louder or softer, and keeps it within [-1, 1].

    Args:
        gain (float): The gain: not negative for an amplitude, > 0 for a power.
        gain_type (GainType): The quantity that the gain scales. Default: ``GainType.AMPLITUDE``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `gain` is out of range.
        RuntimeError: If the input is not sound.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Vol(3)(np.array([0.25, 0.5]))
        array([0.75, 1.  ])
    """

    def __init__(self, gain: float, gain_type: GainType = GainType.AMPLITUDE) -> None:
        where = "audio.Vol"
        self.gain_type = choice(where, "gain_type", gain_type, GainType)
        if gain_type is GainType.DB:
            self.gain = real(where, "gain", gain)
        else:
            self.gain = number(where, "gain", gain, above=gain_type is GainType.POWER)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if self.gain_type is GainType.AMPLITUDE:
            factor = self.gain
        else:
            factor = 10.0 ** (self.gain / 20) if self.gain_type is GainType.DB else np.sqrt(self.gain)
        return np.clip(array * array.dtype.type(factor), -1, 1)


class DBToAmplitude(AudioTensorOperation):
    """Converts decibels to the quantity they measure: ref · 10^(x · power / 10).

    Args:
        ref (float): The quantity at 0 dB.
        power (float): 1 for powers, 0.5 for magnitudes.

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If an argument is beyond 16777216.
        RuntimeError: If the input is not sound.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.DBToAmplitude(1.0, 0.5)(np.array([0.0, 20.0]))
        array([ 1., 10.])
    """

    def __init__(self, ref: float, power: float) -> None:
        self.ref, self.power = real("audio.DBToAmplitude", "ref", ref), real("audio.DBToAmplitude", "power", power)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return (self.ref * (10.0 ** (array.astype(np.float64) * 0.1)) ** self.power).astype(array.dtype)


class DCShift(AudioTensorOperation):
    """Adds a constant to sound, and keeps it within [-1, 1].

    Args:
        shift (float): The constant, of [-2, 2].
        limiter_gain (float, optional): How much of what passes 1 - (\\|shift\\| - limiter_gain) is kept; 0 and ``None``
            are `shift`, which limits nothing. Default: ``None``.

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If `shift` is out of range.
        RuntimeError: If the input is not sound.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.DCShift(0.5)(np.array([0.25, 0.75]))
        array([0.75, 1.  ])
    """

    def __init__(self, shift: float, limiter_gain: float | None = None) -> None:
        self.shift = number("audio.DCShift", "shift", shift, -2.0, high=2.0)
        if limiter_gain is not None:
            number("audio.DCShift", "limiter_gain", limiter_gain, -np.inf, high=np.inf)
        self.limiter_gain = limiter_gain or shift

    def _apply(self, array: np.ndarray) -> np.ndarray:
        shift, gain = self.shift, self.limiter_gain
        moved = np.clip(array + shift, -1, 1)
        if shift == gain or shift == 0:
            return moved.astype(array.dtype)
        limit, sign = 1.0 - (abs(shift) - gain), np.sign(shift)
        if sign > 0:
            limited = np.minimum((array - limit) * gain / (1 - limit) + limit + shift, limit)
        else:
            limited = np.maximum((array + limit) * gain / (1 - limit) + limit + shift, -limit)
        return np.where(array * sign > limit, limited, moved).astype(array.dtype)


class Contrast(AudioTensorOperation):
    """Makes sound seem louder, without passing 1: sin(πx / 2 + enhancement_amount / 750 · sin 2πx).

    Args:
        enhancement_amount (float): How much, of [0, 100]. Default: ``75.0``.

    Raises:
        TypeError: If `enhancement_amount` is not a number.
        ValueError: If `enhancement_amount` is out of range.
        RuntimeError: If the input is not sound.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Contrast()(np.array([0.0, 0.25, 1.0])).round(4)
        array([0.   , 0.473, 1.   ])
    """

    def __init__(self, enhancement_amount: float = 75.0) -> None:
        self.enhancement_amount = number("audio.Contrast", "enhancement_amount", enhancement_amount, high=100)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        angle = array.astype(np.float64) * (np.pi / 2)
        return np.sin(angle + self.enhancement_amount / 750 * np.sin(angle * 4)).astype(array.dtype)


class Overdrive(AudioTensorOperation):
    """Distorts sound: amplifies it, bends u to u - u³ / 3 within [-1, 1], and adds three quarters of that to a half of x.

    Args:
        gain (float): The gain, in dB, of [0, 100]. Default: ``20.0``.
        color (float): How much of even harmonics is added, of [0, 100]. Default: ``20.0``.

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If an argument is out of range.
        RuntimeError: If the input is not sound.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Overdrive(0, 0)(np.array([0.0, 0.75])).round(4)
        array([0.   , 0.832])
    """

    def __init__(self, gain: float = 20.0, color: float = 20.0) -> None:
        self.gain = number("audio.Overdrive", "gain", gain, high=100)
        self.color = number("audio.Overdrive", "color", color, high=100)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        from scipy.signal import lfilter

        loud = np.clip(array.astype(np.float64) * 10.0 ** (self.gain / 20) + self.color / 200, -1, 1)
        bent = lfilter([1.0, -1.0], [1.0, -0.995], loud - loud**3 / 3)
        return np.clip(array * 0.5 + np.asarray(bent) * 0.75, -1, 1).astype(array.dtype)


class Fade(AudioTensorOperation):
    """Fades sound in and out.

    Args:
        fade_in_len (int): How many samples the beginning takes. Default: ``0``.
        fade_out_len (int): How many samples the end takes. Default: ``0``.
        fade_shape (FadeShape): By which curve. Default: ``FadeShape.LINEAR``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a length is negative.
        RuntimeError: If the input is not sound, or shorter than a length.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Fade(3, 2)(np.ones(6))
        array([0. , 0.5, 1. , 1. , 1. , 0. ])
    """

    def __init__(self, fade_in_len: int = 0, fade_out_len: int = 0, fade_shape: FadeShape = FadeShape.LINEAR) -> None:
        self.fade_in_len = checks.integer("audio.Fade", "fade_in_len", fade_in_len, 0)
        self.fade_out_len = checks.integer("audio.Fade", "fade_out_len", fade_out_len, 0)
        self.fade_shape = choice("audio.Fade", "fade_shape", fade_shape, FadeShape)

    def _floats(self, value: object) -> np.ndarray:
        array = super()._floats(value)
        return array if self.fade_in_len or self.fade_out_len else as_array(value)

    def _curve(self, size: int) -> np.ndarray:
        x = np.linspace(0.0, 1.0, size)
        curves = {
            FadeShape.LINEAR: x,
            FadeShape.EXPONENTIAL: 2.0 ** (x - 1) * x,
            FadeShape.LOGARITHMIC: np.log10(x + 0.1) + 1,
            FadeShape.QUARTER_SINE: np.sin(x * np.pi / 2),
            FadeShape.HALF_SINE: np.sin(x * np.pi - np.pi / 2) / 2 + 0.5,
        }
        return curves[self.fade_shape]

    def _apply(self, array: np.ndarray) -> np.ndarray:
        for name, size in (("fade_in_len", self.fade_in_len), ("fade_out_len", self.fade_out_len)):
            if size > array.shape[-1]:
                raise RuntimeError(f"audio.Fade: {name}={size} is longer than {describe(array)}.")
        if not (self.fade_in_len or self.fade_out_len):
            return array
        faded = array.astype(np.float64)
        faded[..., : self.fade_in_len] *= self._curve(self.fade_in_len)
        out = self._curve(self.fade_out_len)[::-1] if self.fade_out_len > 1 else np.ones(self.fade_out_len)
        faded[..., array.shape[-1] - self.fade_out_len :] *= out
        return faded.astype(array.dtype)


class MuLawEncoding(AudioTensorOperation):
    """Gives the levels of sound of [-1, 1] on a logarithmic scale: ⌊(sign(x) · ln(1 + μ\\|x\\|) / ln(1 + μ) + 1) / 2 · μ + 0.5⌋.

    Args:
        quantization_channels (int): How many levels, μ + 1. Default: ``256``.

    Raises:
        TypeError: If `quantization_channels` is not an int.
        ValueError: If `quantization_channels` is not positive.
        RuntimeError: If the input is not sound.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.MuLawEncoding()(np.array([-1.0, 0.0, 0.1, 1.0]))
        array([  0, 128, 203, 255], dtype=int32)
    """

    def __init__(self, quantization_channels: int = 256) -> None:
        self.mu = checks.integer("audio.MuLawEncoding", "quantization_channels", quantization_channels, 1) - 1

    def _apply(self, array: np.ndarray) -> np.ndarray:
        shares = (np.sign(array) * np.log1p(self.mu * np.abs(array)) / np.log1p(self.mu)).astype(array.dtype)
        return ((shares + 1) / 2 * self.mu + 0.5).astype(np.int32)


class MuLawDecoding(AudioTensorOperation):
    """Gives sound whose levels `MuLawEncoding` gave: sign(y) · ((1 + μ)^\\|y\\| - 1) / μ with y = 2x / μ - 1.

    Args:
        quantization_channels (int): How many levels, μ + 1. Default: ``256``.

    Raises:
        TypeError: If `quantization_channels` is not an int.
        ValueError: If `quantization_channels` is not positive.
        RuntimeError: If the input is not sound, or there is one level only.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.MuLawDecoding()(np.array([0, 203, 255])).round(2)
        array([-1. ,  0.1,  1. ], dtype=float32)
    """

    def __init__(self, quantization_channels: int = 256) -> None:
        self.mu = checks.integer("audio.MuLawDecoding", "quantization_channels", quantization_channels, 1) - 1

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if self.mu == 0:
            raise RuntimeError("audio.MuLawDecoding: quantization_channels must be at least 2 to decode, got 1.")
        shares = array.astype(np.float64) / self.mu * 2 - 1
        return (np.sign(shares) * np.expm1(np.abs(shares) * np.log1p(self.mu)) / self.mu).astype(array.dtype)


class Dither(AudioTensorOperation):
    """Rounds sound to 16 bits after adding noise, so that the rounding error is not a tone.

    Args:
        density_function (DensityFunction): How the noise is spread. Default: ``DensityFunction.TPDF``.
        noise_shaping (bool): Whether the error of a sample is added to the next. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If the input is not sound.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Dither()(np.array([0.5, -0.5])) * 32768
        array([ 16383., -16382.])
    """

    def __init__(self, density_function: DensityFunction = DensityFunction.TPDF, noise_shaping: bool = False) -> None:
        self.density_function = choice("audio.Dither", "density_function", density_function, DensityFunction)
        checks.boolean("audio.Dither", "noise_shaping", noise_shaping)
        self.noise_shaping = noise_shaping

    def _noise(self, array: np.ndarray) -> Any:
        if self.density_function is DensityFunction.TPDF:
            return np.bartlett(array.shape[-1] + 1)[:-1].astype(array.dtype)
        draws = 1 if self.density_function is DensityFunction.RPDF else 7
        return array.ravel()[generator().integers(0, array.size, draws)].sum(dtype=array.dtype)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        scaled = array * array.dtype.type(32766) + self._noise(array)
        output = np.trunc(scaled + np.copysign(array.dtype.type(0.5), scaled)) / array.dtype.type(32768)
        if self.noise_shaping:
            output[..., 1:] += (output - array)[..., :-1]
        return output
