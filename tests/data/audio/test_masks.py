"""Masks: the rows of the tables, and what is drawn."""

import numpy as np
from data_tables import operations_of
from data_tables.audio_effects import W

import sporax.dataset as ds
from sporax.dataset import audio

TestOperations = operations_of("sporax._src.data.audio.masks")


def test_masks_by_chance() -> None:
    plane = np.ones((3, 20, 30), np.float32)
    for kind, axis in ((audio.TimeMasking, -1), (audio.FrequencyMasking, -2)):
        data = ds.NumpySlicesDataset(np.repeat(plane[None], 8, 0), ["a"], shuffle=False).map(kind(True, 10), "a")
        rows = [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        counts = [[int((part == 0).any(-1 if axis == -2 else -2).sum()) for part in row] for row in rows]
        assert max(map(max, counts)) <= 10 and len({tuple(c) for c in counts}) > 1
    assert plane.min() == 1


def test_values_by_chance_are_within_bounds_and_differ() -> None:
    plane = np.ones((2, 20, 30), np.float32)
    counts = {int((audio.MaskAlongAxisIID(8, 0.0, 2)(plane) == 0).any((0, 1)).sum()) for _ in range(40)}
    assert max(counts) <= 8 and len(counts) > 3
    dithers = [audio.Dither(audio.DensityFunction.GPDF)(W["float32"] / 2) for _ in range(3)]
    assert max(np.abs(found - W["float32"] / 2).max() for found in dithers) < 1e-3
