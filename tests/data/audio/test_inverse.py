"""Inverses of spectra: the rows of the tables, and there and back."""

import numpy as np
from data_tables import operations_of
from data_tables.audio_effects import ARRAYS

from sporax.dataset import audio

TestOperations = operations_of("sporax._src.data.audio.inverse")


def test_mels_of_the_inverse_are_the_input() -> None:
    spectrogram = np.abs(ARRAYS["s"]) + 0.5
    scale = audio.MelScale(8, n_stft=33)
    found = audio.InverseMelScale(33, 8)(scale(spectrogram))
    assert found.shape == spectrogram.shape and (found >= 0).all()
    np.testing.assert_allclose(scale(found), scale(spectrogram), atol=0.05)
