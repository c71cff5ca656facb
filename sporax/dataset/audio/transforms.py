"""mindspore.dataset.audio.transforms: operations on sound, under their full path."""

from sporax._src.data.audio import (
    AmplitudeToDB,
    Angle,
    AudioTensorOperation,
    ComplexNorm,
    FrequencyMasking,
    Magphase,
    MelScale,
    MelSpectrogram,
    Resample,
    SpectralCentroid,
    Spectrogram,
    TimeMasking,
)

__all__ = [
    "AmplitudeToDB",
    "Angle",
    "AudioTensorOperation",
    "ComplexNorm",
    "FrequencyMasking",
    "Magphase",
    "MelScale",
    "MelSpectrogram",
    "Resample",
    "SpectralCentroid",
    "Spectrogram",
    "TimeMasking",
]
