"""Epochs that are read, left and broken off for some seconds leave no memory or files; `tools/data_soak.py` takes longer."""

from soaked_data import soak


def test_memory_stays() -> None:
    told = soak(12)
    assert told["epochs"] >= 4
    assert told["growth"] < 0.5, told  # few epochs, so their order counts; what a pool leaves is as much as the rest
    assert len(set(told["open files"])) == 1, told
