"""What all operations on sound demand: numbers, floats, axes."""

import pytest
from data_tables.audio_effects import ARRAYS, W

from sporax.dataset import audio


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
