"""Operations on sound for `Dataset.map`.

Reading order: `base`, `enums`, `waves`, `spectrum`, `mel`.
"""

from sporax._src.data.audio.enums import BorderType, MelType, NormMode, NormType, ResampleMethod, ScaleType, WindowType
from sporax._src.data.audio.mel import MelScale, MelSpectrogram, create_dct, linear_fbanks, melscale_fbanks
from sporax._src.data.audio.spectrum import AmplitudeToDB, Angle, ComplexNorm, Magphase, SpectralCentroid, Spectrogram
from sporax._src.data.audio.waves import FrequencyMasking, Resample, TimeMasking

__all__ = [
    "AmplitudeToDB",
    "Angle",
    "BorderType",
    "ComplexNorm",
    "FrequencyMasking",
    "Magphase",
    "MelScale",
    "MelSpectrogram",
    "MelType",
    "NormMode",
    "NormType",
    "Resample",
    "ResampleMethod",
    "ScaleType",
    "SpectralCentroid",
    "Spectrogram",
    "TimeMasking",
    "WindowType",
    "create_dct",
    "linear_fbanks",
    "melscale_fbanks",
]
