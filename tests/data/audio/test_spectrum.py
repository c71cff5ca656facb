"""Spectra: the rows of the tables, and what a tone gives."""

import numpy as np
from data_tables import operations_of

from sporax.dataset import audio

TestOperations = operations_of("sporax._src.data.audio.spectrum")


def test_a_tone_is_found() -> None:
    wave = np.sin(2 * np.pi * 1000 * np.arange(4000) / 16000).astype(np.float32)
    spectrum = audio.Spectrogram(400)(wave)
    assert (spectrum[:, 5:-5].argmax(0) == 25).all()  # 25 * 16000 / 400 Hz
    half = audio.Resample(16000, 8000)(wave)
    np.testing.assert_allclose(half[100:-100], wave[::2][100:-100], atol=5e-3)


def test_integers_are_taken() -> None:
    assert audio.Spectrogram(8)(np.arange(16, dtype=np.int16)).dtype == np.float32
