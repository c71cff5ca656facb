"""The choices that operations on sound take."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from sporax._src.base.errors import describe
from sporax._src.data.vision.enums import Border

BorderType = Border
Choice = TypeVar("Choice", bound=StrEnum)


class WindowType(StrEnum):
    """The window function of a frame of sound."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"


class ScaleType(StrEnum):
    """The quantity that decibels measure."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class NormType(StrEnum):
    """Whether the triangles of a mel scale have equal areas."""

    SLANEY = "slaney"
    NONE = "none"


class MelType(StrEnum):
    """The formula of the mel scale."""

    HTK = "htk"
    SLANEY = "slaney"


class NormMode(StrEnum):
    """Whether a cosine transform is orthogonal."""

    ORTHO = "ortho"
    NONE = "none"


class ResampleMethod(StrEnum):
    """The window of the sinc filter of `Resample`."""

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class DensityFunction(StrEnum):
    """The distribution of the noise of `Dither`: triangular, uniform or normal."""

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(StrEnum):
    """The curve by which sound fades."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(StrEnum):
    """The quantity that the gain of `Vol` scales."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(StrEnum):
    """How `Flanger` interpolates between samples."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class Modulation(StrEnum):
    """The wave by which a delay changes."""

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


def choice(where: str, name: str, value: object, kind: type[Choice]) -> Choice:
    """Return `value` if it is a member of `kind`.

    Raises:
        TypeError: If it is not.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{where}: {name} must be a {kind.__name__}, got {describe(value)}.")
    return value
