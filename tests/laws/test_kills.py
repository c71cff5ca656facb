"""A run that is killed and started again equals the run that was left alone; `tools/kills.py` kills more often."""

import random

import pytest
from killed_overwrites import killed_alone
from kills import killed


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_a_killed_run_goes_on_exactly(tmp_path, mode):
    told = killed(tmp_path, mode, epochs=2, kills=2, rng=random.Random(1), last=0.05)
    assert told["kills"] >= 1 and told["steps"] == 24


@pytest.mark.parametrize(("kind", "kills"), [("mindrecord", 10), ("unified", 5), ("transformed", 5)])
def test_a_killed_overwrite_leaves_the_old_set_or_the_new_one(tmp_path, kind, kills):
    assert killed_alone(kind, tmp_path, kills)["kills"] == kills
