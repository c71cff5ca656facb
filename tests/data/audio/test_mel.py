"""Mels: the rows of the tables, and in a pipeline."""

from data_tables import operations_of
from data_tables.audio import ARRAYS

import sporax.dataset as ds
from sporax.dataset import audio

TestOperations = operations_of("sporax._src.data.audio.mel")


def test_in_a_pipeline() -> None:
    data = ds.NumpySlicesDataset(ARRAYS["w"], ["wave"], shuffle=False)
    data = data.map([audio.MelSpectrogram(16000, 64, n_mels=8), audio.AmplitudeToDB()], "wave")
    assert [row["wave"].shape for row in data.create_dict_iterator(1, output_numpy=True)] == [(8, 10), (8, 10)]
