"""Filters: LFilter, Filtfilt, and those of second order, with the coefficients of the audio EQ cookbook."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.audio.base import FloatTensorOperation, number, real


def filtered(array: np.ndarray, b: Sequence[float], a: Sequence[float], *, clamp: bool = True) -> np.ndarray:
    """Return `array` after the filter b / a along its last axis, within [-1, 1] if `clamp`."""
    weights, past = (np.asarray(part, array.dtype) for part in (b, a))  # coefficients have the dtype of the sound
    if array.dtype == np.float16:
        with np.errstate(over="ignore", invalid="ignore"):  # of a filter that diverges
            output = _in_steps(array, weights / past[0], past / past[0])
    else:
        from scipy.signal import lfilter

        output = np.asarray(lfilter(weights.astype(np.float64), past.astype(np.float64), array.astype(np.float64)))
    return (np.clip(output, -1.0, 1.0) if clamp else output).astype(array.dtype)


def _in_steps(array: np.ndarray, b: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Filter in the dtype of the sound: with 11 bits, each step's rounding error lasts as long as the filter rings."""
    sound = np.moveaxis(array, -1, 0)
    ahead = np.zeros((len(b) - 1, *sound.shape[1:]), array.dtype)
    padded, output = np.concatenate([ahead, sound]), np.concatenate([ahead, np.zeros_like(sound)])
    for i in range(len(ahead), len(padded)):
        value = np.zeros_like(padded[0])
        for k in range(len(b)):
            value = value + b[k] * padded[i - k]
        for k in range(1, len(a)):
            value = value - a[k] * output[i - k]
        output[i] = value
    return np.moveaxis(output[len(ahead) :], 0, -1)


def _turn(frequency: float, sample_rate: int, q: float) -> tuple[float, float, float]:
    """Return cosine, sine and alpha of the angle that one sample takes at `frequency`."""
    angle = 2 * math.pi * frequency / sample_rate
    return math.cos(angle), math.sin(angle), math.sin(angle) / 2 / q


def _shelf(amplitude: float, cosine: float, alpha: float) -> tuple[list[float], list[float]]:
    """Return b and a of a shelf above the frequency of `cosine`. For the shelf below it, pass -cosine and negate b1 and a1."""
    up, down, root = amplitude + 1, amplitude - 1, 2 * math.sqrt(amplitude) * alpha
    b = [amplitude * (up + down * cosine + root), -2 * amplitude * (down + up * cosine),
         amplitude * (up + down * cosine - root)]  # fmt: skip
    return b, [up - down * cosine + root, 2 * (down - up * cosine), up - down * cosine - root]


class _Coefficients(FloatTensorOperation):
    """A filter of any order."""

    def __init__(self, a_coeffs: Sequence[float], b_coeffs: Sequence[float], clamp: bool = True) -> None:
        where = f"audio.{type(self).__name__}"
        for name, values in (("a_coeffs", a_coeffs), ("b_coeffs", b_coeffs)):
            if not isinstance(values, (list, tuple)):
                raise TypeError(f"{where}: {name} must be a list or tuple, got {describe(values)}.")
            for i, value in enumerate(values):
                real(where, f"{name}[{i}]", value)
        if len(a_coeffs) != len(b_coeffs):
            raise ValueError(
                f"{where}: a_coeffs and b_coeffs must have one length, got {len(a_coeffs)} and {len(b_coeffs)}."
            )
        checks.boolean(where, "clamp", clamp)
        self.a_coeffs, self.b_coeffs, self.clamp = a_coeffs, b_coeffs, clamp

    def _floats(self, value: object) -> np.ndarray:
        if not self.a_coeffs or self.a_coeffs[0] == 0:
            raise RuntimeError(f"audio.{type(self).__name__}: a_coeffs[0] must not be 0, got {list(self.a_coeffs)}.")
        return super()._floats(value)


class LFilter(_Coefficients):
    """Filters sound: a₀·yₙ = Σ bₖ·xₙ₋ₖ - Σ aₖ·yₙ₋ₖ.

    Args:
        a_coeffs (sequence): The coefficients of the result, the first not 0.
        b_coeffs (sequence): The coefficients of the input, as many.
        clamp (bool): Whether to keep the result within [-1, 1]. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the lengths differ, or a coefficient is beyond 16777216.
        RuntimeError: If the input holds no floats, or a₀ is 0.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.LFilter([1.0, 0.5], [1.0, 0.0])(np.array([1.0, 0.0, 0.0]))
        array([ 1.  , -0.5 ,  0.25])
    """

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return filtered(array, self.b_coeffs, self.a_coeffs, clamp=self.clamp)


class Filtfilt(_Coefficients):
    """Filters sound forwards and backwards (arguments as of `LFilter`), so that nothing is delayed.

    Args:
        a_coeffs (sequence): The coefficients of the result, the first not 0.
        b_coeffs (sequence): The coefficients of the input, as many.
        clamp (bool): Whether to keep the result within [-1, 1]. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the lengths differ, or a coefficient is beyond 16777216.
        RuntimeError: If the input holds no floats, or a₀ is 0.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Filtfilt([1.0, 0.0], [0.5, 0.5])(np.array([0.0, 1.0, 0.0]))
        array([0.25, 0.5 , 0.25])
    """

    def _apply(self, array: np.ndarray) -> np.ndarray:
        forth = filtered(array, self.b_coeffs, self.a_coeffs, clamp=False)
        return filtered(forth[..., ::-1], self.b_coeffs, self.a_coeffs, clamp=self.clamp)[..., ::-1]


class Biquad(FloatTensorOperation):
    """Filters sound: a₀·yₙ = b₀·xₙ + b₁·xₙ₋₁ + b₂·xₙ₋₂ - a₁·yₙ₋₁ - a₂·yₙ₋₂, kept within [-1, 1].

    Args:
        b0, b1, b2 (float): The coefficients of the input.
        a0, a1, a2 (float): The coefficients of the result; `a0` is not 0.

    Raises:
        TypeError: If a coefficient is not a number.
        ValueError: If a coefficient is beyond 16777216, or `a0` is 0.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.Biquad(0.5, 0.5, 0, 1, 0, 0)(np.array([0.0, 1.0, 0.0]))
        array([0. , 0.5, 0.5])
    """

    def __init__(self, b0: float, b1: float, b2: float, a0: float, a1: float, a2: float) -> None:
        names = ("b0", "b1", "b2", "a0", "a1", "a2")
        values = [
            real("audio.Biquad", name, value) for name, value in zip(names, (b0, b1, b2, a0, a1, a2), strict=True)
        ]
        if a0 == 0:
            raise ValueError("audio.Biquad: a0 must not be 0.")
        self._b, self._a = values[:3], values[3:]

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return filtered(array, self._b, self._a)


class _Designed(Biquad):
    """A filter of second order that is described by a frequency, a Q and perhaps a gain."""

    def _take(self, sample_rate: int, q: float = 0.5, **numbers: float) -> None:
        where = f"audio.{type(self).__name__}"
        checks.integer(where, "sample_rate", sample_rate, -checks.MAX_INT - 1)
        if sample_rate == 0:
            raise ValueError(f"{where}: sample_rate must not be 0.")
        for name, value in numbers.items():
            real(where, name, value)
        number(where, "Q", q, above=True, high=1.0)


class AllpassBiquad(_Designed):
    """Shifts the phases of sound about a frequency, and keeps magnitudes.

    Args:
        sample_rate (int): Samples a second, not 0.
        central_freq (float): The central frequency, in Hz.
        Q (float): The quality factor, of (0, 1]. Default: ``0.707``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sample_rate` is 0, `Q` is not of (0, 1], or a number is beyond 16777216.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.AllpassBiquad(44100, 200.0)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707) -> None:
        self._take(sample_rate, Q, central_freq=central_freq)
        cosine, _, alpha = _turn(central_freq, sample_rate, Q)
        self._b, self._a = [1 - alpha, -2 * cosine, 1 + alpha], [1 + alpha, -2 * cosine, 1 - alpha]


class BandBiquad(_Designed):
    """Keeps a band of frequencies, with an attack for tones or noise.

    Args:
        sample_rate (int): Samples a second, not 0.
        central_freq (float): The central frequency, in Hz.
        Q (float): The quality factor, of (0, 1]. Default: ``0.707``.
        noise (bool): Whether it is for noise rather than for tones. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sample_rate` is 0, `Q` is not of (0, 1], or a number is beyond 16777216.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.BandBiquad(44100, 200.0)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707, noise: bool = False) -> None:
        self._take(sample_rate, Q, central_freq=central_freq)
        checks.boolean("audio.BandBiquad", "noise", noise)
        a2 = math.exp(-2 * math.pi * central_freq / Q / sample_rate)
        a1 = -4 * a2 / (1 + a2) * math.cos(2 * math.pi * central_freq / sample_rate)
        b0 = math.sqrt(1 - a1 * a1 / (4 * a2)) * (1 - a2)
        if noise:
            b0 = math.sqrt(((1 + a2) ** 2 - a1 * a1) * (1 - a2) / (1 + a2))
        self._b, self._a = [b0, 0.0, 0.0], [1.0, a1, a2]


class BandpassBiquad(_Designed):
    """Keeps a band of frequencies.

    Args:
        sample_rate (int): Samples a second, not 0.
        central_freq (float): The central frequency, in Hz.
        Q (float): The quality factor, of (0, 1]. Default: ``0.707``.
        const_skirt_gain (bool): Whether the skirts, not the peak, have a constant gain. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sample_rate` is 0, `Q` is not of (0, 1], or a number is beyond 16777216.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.BandpassBiquad(44100, 200.0)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707, const_skirt_gain: bool = False) -> None:
        self._take(sample_rate, Q, central_freq=central_freq)
        checks.boolean("audio.BandpassBiquad", "const_skirt_gain", const_skirt_gain)
        cosine, sine, alpha = _turn(central_freq, sample_rate, Q)
        peak = sine / 2 if const_skirt_gain else alpha
        self._b, self._a = [peak, 0.0, -peak], [1 + alpha, -2 * cosine, 1 - alpha]


class BandrejectBiquad(_Designed):
    """Removes a band of frequencies.

    Args:
        sample_rate (int): Samples a second, not 0.
        central_freq (float): The central frequency, in Hz.
        Q (float): The quality factor, of (0, 1]. Default: ``0.707``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sample_rate` is 0, `Q` is not of (0, 1], or a number is beyond 16777216.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.BandrejectBiquad(44100, 200.0)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707) -> None:
        self._take(sample_rate, Q, central_freq=central_freq)
        cosine, _, alpha = _turn(central_freq, sample_rate, Q)
        self._b, self._a = [1.0, -2 * cosine, 1.0], [1 + alpha, -2 * cosine, 1 - alpha]


class BassBiquad(_Designed):
    """Makes low frequencies louder or softer.

    Args:
        sample_rate (int): Samples a second, not 0.
        gain (float): The gain, in dB.
        central_freq (float): The central frequency, in Hz. Default: ``100.0``.
        Q (float): The quality factor, of (0, 1]. Default: ``0.707``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sample_rate` is 0, `Q` is not of (0, 1], or a number is beyond 16777216.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.BassBiquad(44100, 10.0)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int, gain: float, central_freq: float = 100.0, Q: float = 0.707) -> None:
        self._take(sample_rate, Q, gain=gain, central_freq=central_freq)
        cosine, _, alpha = _turn(central_freq, sample_rate, Q)
        b, a = _shelf(10 ** (gain / 40), -cosine, alpha)
        self._b, self._a = [b[0] / a[0], -b[1] / a[0], b[2] / a[0]], [1.0, -a[1] / a[0], a[2] / a[0]]


class EqualizerBiquad(_Designed):
    """Makes a band of frequencies louder or softer.

    Args:
        sample_rate (int): Samples a second, not 0.
        center_freq (float): The central frequency, in Hz.
        gain (float): The gain, in dB.
        Q (float): The quality factor, of (0, 1]. Default: ``0.707``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sample_rate` is 0, `Q` is not of (0, 1], or a number is beyond 16777216.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.EqualizerBiquad(44100, 1500, 5.5)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int, center_freq: float, gain: float, Q: float = 0.707) -> None:
        self._take(sample_rate, Q, center_freq=center_freq, gain=gain)
        cosine, _, alpha = _turn(center_freq, sample_rate, Q)
        amplitude = 10 ** (gain / 40)
        up, down = alpha * amplitude, alpha / amplitude
        self._b, self._a = [1 + up, -2 * cosine, 1 - up], [1 + down, -2 * cosine, 1 - down]


class HighpassBiquad(_Designed):
    """Keeps the frequencies above a cutoff.

    Args:
        sample_rate (int): Samples a second, not 0.
        cutoff_freq (float): The cutoff frequency, in Hz.
        Q (float): The quality factor, of (0, 1]. Default: ``0.707``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sample_rate` is 0, `Q` is not of (0, 1], or a number is beyond 16777216.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.HighpassBiquad(44100, 1500)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> None:
        self._take(sample_rate, Q, cutoff_freq=cutoff_freq)
        cosine, _, alpha = _turn(cutoff_freq, sample_rate, Q)
        self._b, self._a = [(1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2], [1 + alpha, -2 * cosine, 1 - alpha]


class LowpassBiquad(_Designed):
    """Keeps the frequencies below a cutoff.

    Args:
        sample_rate (int): Samples a second, not 0.
        cutoff_freq (float): The cutoff frequency, in Hz.
        Q (float): The quality factor, of (0, 1]. Default: ``0.707``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sample_rate` is 0, `Q` is not of (0, 1], or a number is beyond 16777216.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.LowpassBiquad(44100, 1500)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> None:
        self._take(sample_rate, Q, cutoff_freq=cutoff_freq)
        cosine, _, alpha = _turn(cutoff_freq, sample_rate, Q)
        self._b, self._a = [(1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2], [1 + alpha, -2 * cosine, 1 - alpha]


class TrebleBiquad(_Designed):
    """Makes high frequencies louder or softer.

    Args:
        sample_rate (int): Samples a second, not 0.
        gain (float): The gain, in dB.
        central_freq (float): The central frequency, in Hz. Default: ``3000``.
        Q (float): The quality factor, of (0, 1]. Default: ``0.707``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `sample_rate` is 0, `Q` is not of (0, 1], or a number is beyond 16777216.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.TrebleBiquad(44100, 10.0)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int, gain: float, central_freq: float = 3000, Q: float = 0.707) -> None:
        self._take(sample_rate, Q, gain=gain, central_freq=central_freq)
        cosine, _, alpha = _turn(central_freq, sample_rate, Q)
        self._b, self._a = _shelf(10 ** (gain / 40), cosine, alpha)


_DEEMPHASIS = {44100: (5283, 0.4845, -9.477), 48000: (5356, 0.479, -9.62)}  # frequency in Hz, slope, gain in dB


def _known(where: str, sample_rate: int, rates: Sequence[int]) -> None:
    checks.integer(where, "sample_rate", sample_rate, -checks.MAX_INT - 1)
    if sample_rate not in rates:
        raise ValueError(f"{where}: sample_rate must be one of {list(rates)}, got {sample_rate}.")


class DeemphBiquad(Biquad):
    """Undoes the emphasis of a compact disc: a shelf that softens high frequencies.

    Args:
        sample_rate (int): Samples a second, 44100 or 48000.

    Raises:
        TypeError: If `sample_rate` is not an int.
        ValueError: If `sample_rate` is another number.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.DeemphBiquad(44100)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int) -> None:
        _known("audio.DeemphBiquad", sample_rate, list(_DEEMPHASIS))
        frequency, slope, gain = _DEEMPHASIS[sample_rate]
        amplitude = 10 ** (gain / 40)
        cosine, sine, _ = _turn(frequency, sample_rate, 1.0)
        alpha = sine / 2 * math.sqrt((amplitude + 1 / amplitude) * (1 / slope - 1) + 2)
        self._b, self._a = _shelf(amplitude, cosine, alpha)


_RIAA = {  # zeros and poles
    44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)),
    48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
    88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)),
    96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
}


class RiaaBiquad(Biquad):
    """Plays a vinyl record back: the RIAA curve, with 0 dB at 1 kHz.

    Args:
        sample_rate (int): Samples a second, 44100, 48000, 88200 or 96000.

    Raises:
        TypeError: If `sample_rate` is not an int.
        ValueError: If `sample_rate` is another number.
        RuntimeError: If the input holds no floats.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import audio
        >>> audio.RiaaBiquad(44100)(np.full(3, 0.5, np.float32)).shape
        (3,)
    """

    def __init__(self, sample_rate: int) -> None:
        _known("audio.RiaaBiquad", sample_rate, list(_RIAA))
        b, a = (np.poly(roots) for roots in _RIAA[sample_rate])
        there = np.exp(2j * np.pi * 1000 / sample_rate)
        gain = abs(np.polyval(b, there) / np.polyval(a, there))
        self._b, self._a = (b / gain).tolist(), a.tolist()
