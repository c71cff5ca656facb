"""Filters, effects and further spectra of sound: MindSpore's results and errors, and what those by chance do."""

import json
from pathlib import Path

import numpy as np
import pytest

from sporax.dataset import audio

FOLDER = Path(__file__).parents[1] / "goldens"
GOLDENS = json.loads((FOLDER / "audio_effects.json").read_text(encoding="utf-8"))["results"]
ARRAYS = np.load(FOLDER / "audio_effects.npz")
W = {name.split(".")[1]: ARRAYS[name] for name in ARRAYS.files if name.startswith("w.")}
NAMES = {**vars(audio), "w": W, **{name: ARRAYS[name] for name in "szp"}, "np": np}
# MindSpore computes in the dtype of the sound, here sums are of float64.
BOUNDS = {"float16": 2e-2, "float32": 2e-5, "float64": 2e-6}
# Phases are sums of many turns in float32 there, each up to thousands of radians.
LOOSE = {"PhaseVocoder": 2e-2, "TimeStretch": 2e-2, "PitchShift": 2e-2, "GriffinLim": 2e-3}
# A recursion keeps its roundings for as long as it rings; three designs have coefficients of float32 there for any sound.
RINGING = {"float16": 2e-2, "float32": 2e-4, "float64": 1e-4}


@pytest.mark.parametrize("call", sorted(call for call in GOLDENS if "array" in GOLDENS[call]))
def test_results_are_mindspores(call: str) -> None:
    found, want = eval(call, dict(NAMES)), ARRAYS[GOLDENS[call]["array"]]
    assert (found.shape, found.dtype) == (want.shape, want.dtype)
    if want.dtype.kind == "i":
        np.testing.assert_array_equal(found, want)
        return
    name = call.split("(")[0]
    bounds = RINGING if name.endswith(("Biquad", "LFilter", "Filtfilt")) else BOUNDS
    bound = LOOSE.get(name, bounds[str(want.dtype)])
    there = np.isfinite(want)  # a filter that diverges overflows there, and not in float64
    assert there.all() or name == "LFilter"
    np.testing.assert_allclose(
        found[there], want[there], rtol=bound, atol=bound * np.abs(want[there]).max(initial=1e-3)
    )


@pytest.mark.parametrize("call", sorted(call for call in GOLDENS if "error" in GOLDENS[call]))
def test_errors_are_mindspores(call: str) -> None:
    kind = {"TypeError": TypeError, "ValueError": ValueError, "RuntimeError": RuntimeError, "KeyError": KeyError}
    with pytest.raises(kind[GOLDENS[call]["error"]]):
        eval(call, dict(NAMES))


@pytest.mark.parametrize("call", sorted(call for call in GOLDENS if "taken" in GOLDENS[call]))
def test_arguments_that_mindspore_takes(call: str) -> None:
    eval(call, dict(NAMES))


def test_values_by_chance_are_within_bounds_and_differ() -> None:
    plane = np.ones((2, 20, 30), np.float32)
    counts = {int((audio.MaskAlongAxisIID(8, 0.0, 2)(plane) == 0).any((0, 1)).sum()) for _ in range(40)}
    assert max(counts) <= 8 and len(counts) > 3
    dithers = [audio.Dither(audio.DensityFunction.GPDF)(W["float32"] / 2) for _ in range(3)]
    assert max(np.abs(found - W["float32"] / 2).max() for found in dithers) < 1e-3


def test_mels_of_the_inverse_are_the_input() -> None:
    spectrogram = np.abs(ARRAYS["s"]) + 0.5
    scale = audio.MelScale(8, n_stft=33)
    found = audio.InverseMelScale(33, 8)(scale(spectrogram))
    assert found.shape == spectrogram.shape and (found >= 0).all()
    np.testing.assert_allclose(scale(found), scale(spectrogram), atol=0.05)


def test_error_texts() -> None:
    with pytest.raises(ValueError, match=r"LowpassBiquad: Q must be in \(0.0, 1.0\], got 0"):
        audio.LowpassBiquad(16000, 100.0, 0)
    with pytest.raises(ValueError, match="LFilter: a_coeffs and b_coeffs must have one length, got 1 and 2"):
        audio.LFilter([1.0], [1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"Fade: fade_in_len=700 is longer than float32\[2, 2, 600\]"):
        audio.Fade(700)(W["float32"])
    with pytest.raises(RuntimeError, match="LowpassBiquad: expected floats with at least 1 axes"):
        audio.LowpassBiquad(16000, 100.0)(W["int16"])
    with pytest.raises(RuntimeError, match=r"LFCC: pad_mode must not be BorderType\.EDGE"):
        options = {
            "n_fft": 64,
            "win_length": 64,
            "hop_length": 32,
            "pad": 0,
            "window": audio.WindowType.HANN,
            "power": 2.0,
        }
        flags = {"normalized": False, "center": True, "pad_mode": audio.BorderType.EDGE, "onesided": True}
        audio.LFCC(16000, 12, 6, speckwargs={**options, **flags})(W["float32"])
    with pytest.raises(RuntimeError, match="GriffinLim: length=96 does not give 14 stretches"):
        audio.GriffinLim(64, 1, 64, 16, length=96)(ARRAYS["p"])
