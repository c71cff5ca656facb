"""Filters, effects and further spectra of sound: MindSpore's results and errors."""

import json
from pathlib import Path

import numpy as np
import pytest

from sporax.dataset import audio

FOLDER = Path(__file__).parents[2] / "goldens"
ARRAYS = np.load(FOLDER / "audio_effects.npz")
W = {name.split(".")[1]: ARRAYS[name] for name in ARRAYS.files if name.startswith("w.")}
GOLDENS = json.loads((FOLDER / "audio_effects.json").read_text(encoding="utf-8"))["results"]
NAMES = {**vars(audio), "w": W, **{name: ARRAYS[name] for name in "szp"}, "np": np}
# MindSpore computes in the dtype of the sound, here sums are of float64.
BOUNDS = {"float16": 2e-2, "float32": 2e-5, "float64": 2e-6}
# Phases are sums of many turns in float32 there, each up to thousands of radians.
LOOSE = {"PhaseVocoder": 2e-2, "TimeStretch": 2e-2, "PitchShift": 2e-2, "GriffinLim": 2e-3}
# A recursion keeps its roundings for as long as it rings; three designs have coefficients of float32 there for any sound.
RINGING = {"float16": 2e-2, "float32": 2e-4, "float64": 1e-4}


@pytest.mark.parametrize("call", sorted(call for call in GOLDENS if "array" in GOLDENS[call]))
def test_effects_are_mindspores(call: str) -> None:
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
