"""Operations on sound: MindSpore's results, what those by chance do, and every error's text."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax.dataset as ds
from sporax.dataset import audio

FOLDER = Path(__file__).parents[1] / "goldens"
GOLDENS = json.loads((FOLDER / "audio.json").read_text(encoding="utf-8"))["results"]
ARRAYS = np.load(FOLDER / "audio.npz")
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


def test_a_tone_is_found() -> None:
    wave = np.sin(2 * np.pi * 1000 * np.arange(4000) / 16000).astype(np.float32)
    spectrum = audio.Spectrogram(400)(wave)
    assert (spectrum[:, 5:-5].argmax(0) == 25).all()  # 25 * 16000 / 400 Hz
    half = audio.Resample(16000, 8000)(wave)
    np.testing.assert_allclose(half[100:-100], wave[::2][100:-100], atol=5e-3)


def test_integers_are_taken() -> None:
    assert audio.Spectrogram(8)(np.arange(16, dtype=np.int16)).dtype == np.float32


def test_masks_by_chance() -> None:
    plane = np.ones((3, 20, 30), np.float32)
    for kind, axis in ((audio.TimeMasking, -1), (audio.FrequencyMasking, -2)):
        data = ds.NumpySlicesDataset(np.repeat(plane[None], 8, 0), ["a"], shuffle=False).map(kind(True, 10), "a")
        rows = [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        counts = [[int((part == 0).any(-1 if axis == -2 else -2).sum()) for part in row] for row in rows]
        assert max(map(max, counts)) <= 10 and len({tuple(c) for c in counts}) > 1
    assert plane.min() == 1


def test_in_a_pipeline() -> None:
    data = ds.NumpySlicesDataset(ARRAYS["w"], ["wave"], shuffle=False)
    data = data.map([audio.MelSpectrogram(16000, 64, n_mels=8), audio.AmplitudeToDB()], "wave")
    assert [row["wave"].shape for row in data.create_dict_iterator(1, output_numpy=True)] == [(8, 10), (8, 10)]


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
        r"Spectrogram: float32\[2, 20\] is shorter than a stretch of 64",
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
def test_error_texts(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()
