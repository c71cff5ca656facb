"""Operations on sound: MindSpore's results, and every error's text."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sporax.dataset import audio

FOLDER = Path(__file__).parents[2] / "goldens"
ARRAYS = np.load(FOLDER / "audio.npz")
GOLDENS = json.loads((FOLDER / "audio.json").read_text(encoding="utf-8"))["results"]
NAMES = {**vars(audio), **{name: ARRAYS[name] for name in "wsc"}, "np": np}


@pytest.mark.parametrize("call", sorted(GOLDENS))
def test_results_are_mindspores(call: str) -> None:
    found = eval(call, dict(NAMES))
    parts = found if isinstance(found, tuple) else (found,)
    assert len(parts) == GOLDENS[call]["count"]
    for place, part in enumerate(parts, GOLDENS[call]["first"]):
        want = ARRAYS[f"a{place}"]
        assert (part.shape, part.dtype) == (want.shape, want.dtype)
        # MindSpore computes these in float32 throughout; here sums are of float64
        np.testing.assert_allclose(part, want, rtol=2e-5, atol=1e-5 * np.abs(want).max())


A = audio
W = ARRAYS["w"]
ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda: A.Spectrogram(0), ValueError, "Spectrogram: n_fft must be in"),
    (lambda: A.Spectrogram(64, 80), ValueError, "Spectrogram: win_length must be at most n_fft=64, got 80"),
    (lambda: A.Spectrogram(64, window="hann"), TypeError, "Spectrogram: window must be a WindowType, got 'hann'"),
    (lambda: A.Spectrogram(64, power="x"), TypeError, "Spectrogram: power must be a number, got 'x'"),
    (lambda: A.Spectrogram(64, center=1), TypeError, "Spectrogram: center must be a bool"),
    (
        lambda: A.Spectrogram(64)(W[:, :20]),
        RuntimeError,
        r"Spectrogram: float32\[2, 20\] is shorter than a frame of 64",
    ),
    (lambda: A.Spectrogram(64)("text"), RuntimeError, "Spectrogram: expected numbers with at least 1 axes"),
    (lambda: A.Resample(0, 1), ValueError, r"Resample: orig_freq must be in \(0.0, 16777216\], got 0"),
    (lambda: A.Resample(1, 2, rolloff=2.0), ValueError, r"Resample: rolloff must be in \(0.0, 1.0\], got 2.0"),
    (lambda: A.MelScale(0), ValueError, "n_mels must be in"),
    (lambda: A.MelScale(8)(W), RuntimeError, "MelScale: expected 201 frequencies"),
    (lambda: A.MelSpectrogram(power=0), ValueError, r"MelSpectrogram: power must be in \(0.0"),
    (lambda: A.AmplitudeToDB(3), TypeError, "AmplitudeToDB: stype must be a ScaleType, got 3"),
    (lambda: A.AmplitudeToDB()(W[0]), RuntimeError, "AmplitudeToDB: expected numbers with at least 2 axes"),
    (lambda: A.ComplexNorm(-1.0), ValueError, r"ComplexNorm: power must be in \[0.0"),
    (lambda: A.Angle()(W), RuntimeError, "Angle: expected complex numbers, with a last axis of 2"),
    (lambda: A.TimeMasking(False, -1), ValueError, "TimeMasking: time_mask_param must be in"),
    (
        lambda: A.FrequencyMasking(False, 3)(W),
        RuntimeError,
        r"FrequencyMasking: freq_mask_param=3 from 0 leaves float32\[2, 300\]",
    ),
    (lambda: A.create_dct(5, 8, 3), TypeError, "norm must be a NormMode, got 3"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS)
def test_texts_of_errors(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()
