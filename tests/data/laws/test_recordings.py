"""The recordings are of the calls that run, and what differs is said."""

from pathlib import Path

import dataset_files
import numpy as np
from data_tables.sources import RECORDED, rows


def test_the_recording_is_of_these_calls():
    assert set(RECORDED) == {call for family in dataset_files.FAMILIES.values() for call in family.cases()}


def test_every_line_of_enwik9_comes(small_copies):
    lines = Path("enwik9/enwik9").read_text(encoding="utf-8").splitlines()
    assert [row[0] for row in rows("EnWik9Dataset('enwik9', shuffle=False)")] == lines


def test_talks_are_the_samples_between_two_times(small_copies):
    first, second = rows("TedliumDataset('tedlium/release3', 'release3', shuffle=False)")
    samples = np.frombuffer(Path("tedlium/release3/data/sph/talk0.sph").read_bytes()[1024:], ">i2") / 32767
    np.testing.assert_allclose(first[0][0], samples[:16], rtol=1e-6)
    np.testing.assert_allclose(second[0][0], samples[16:24], rtol=1e-6)
    assert first[2:] == ["first words", "talk0", "talk0_speaker", "<o,f0,female>"]


def test_multi30k_takes_every_way_to_shuffle(small_copies):
    whole = rows("Multi30kDataset('multi30k', shuffle=False)")
    assert sorted(rows("Multi30kDataset('multi30k', shuffle=Shuffle.FILES)")) == sorted(whole)
