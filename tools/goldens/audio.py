"""Operations on sound."""

from pathlib import Path
from typing import Any

import mindspore.dataset.audio as audio
import numpy as np

from .common import write_json

CALLS = """Spectrogram(64)(w)
Spectrogram(64)(w[0])
Spectrogram(64)(w.astype(np.float64))
Spectrogram(64, 48, 16)(w)
Spectrogram(64, pad=10)(w)
Spectrogram(64, window=WindowType.HAMMING)(w)
Spectrogram(64, window=WindowType.BARTLETT)(w)
Spectrogram(64, window=WindowType.BLACKMAN)(w)
Spectrogram(64, window=WindowType.KAISER)(w)
Spectrogram(64, power=0.0)(w[0])
Spectrogram(64, power=3.0)(w[0])
Spectrogram(64, normalized=True)(w[0])
Spectrogram(64, center=False)(w[0])
Spectrogram(64, pad_mode=BorderType.CONSTANT)(w[0])
Spectrogram(64, pad_mode=BorderType.EDGE)(w[0])
Spectrogram(64, pad_mode=BorderType.SYMMETRIC)(w[0])
Spectrogram(64, onesided=False)(w[0])
Resample(16000, 8000)(w)
Resample(16000, 24000)(w)
Resample(44100, 16000)(w[0])
Resample(16000, 16000)(w)
Resample(16000, 8000, lowpass_filter_width=10, rolloff=0.9)(w)
Resample(16000, 12000, ResampleMethod.KAISER_WINDOW)(w)
Resample(16000, 12000, ResampleMethod.KAISER_WINDOW, beta=5.0)(w.astype(np.float64))
MelScale(8, 16000, n_stft=33)(s)
MelScale(8, 16000, 100.0, 4000.0, 33, NormType.SLANEY, MelType.SLANEY)(s)
MelSpectrogram(16000, 64, n_mels=8)(w)
MelSpectrogram(16000, 64, 32, 16, f_min=50.0, n_mels=8, power=1.0, normalized=True, norm=NormType.SLANEY)(w)
SpectralCentroid(16000, 64)(w)
AmplitudeToDB()(s)
AmplitudeToDB(ScaleType.MAGNITUDE, 2.0, 1e-5, 20.0)(s)
ComplexNorm()(c)
ComplexNorm(2.0)(c)
Magphase(2.0)(c)
Angle()(c)
TimeMasking(False, 3, 2, 5.0)(s)
FrequencyMasking(False, 3, 2, 5.0)(s)
melscale_fbanks(33, 0.0, 8000.0, 8, 16000)
melscale_fbanks(33, 100.0, 4000.0, 8, 16000, NormType.SLANEY, MelType.SLANEY)
linear_fbanks(33, 0.0, 8000.0, 8, 16000)
create_dct(5, 8)
create_dct(5, 8, NormMode.ORTHO)""".splitlines()


def record(out: Path) -> None:
    """Write ``audio.json`` and ``audio.npz``."""
    rng, t = np.random.default_rng(0), np.arange(300) / 16000
    waves = np.stack([np.sin(2 * np.pi * 440 * t) + 0.3 * rng.normal(size=300), np.sin(2 * np.pi * 1500 * t)])
    inputs = {
        "w": waves.astype(np.float32), "s": np.abs(rng.normal(size=(2, 33, 7))).astype(np.float32),
        "c": rng.normal(size=(2, 5, 4, 2)).astype(np.float32),
    }  # fmt: skip
    arrays: dict[str, np.ndarray] = dict(inputs)
    layout: dict[str, Any] = {}
    for text in CALLS:
        found = eval(text, {**vars(audio), **inputs, "np": np})
        parts = found if isinstance(found, tuple) else (found,)
        layout[text] = {"first": len(arrays), "count": len(parts)}
        for part in parts:
            arrays[f"a{len(arrays)}"] = np.asarray(part)
    np.savez_compressed(out / "audio.npz", **arrays)
    write_json(out / "audio.json", {"results": layout})
